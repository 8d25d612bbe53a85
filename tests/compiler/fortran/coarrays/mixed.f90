! Coarrays among directives: each line that an image prints is a name and whether what it found is what it computed itself.
module shared
  implicit none
  integer, parameter :: n = 41
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
  real(8) :: u(n)
!$xmp align u(i) with t(i)
  integer, save :: everywhere[*], grid(3)[2, *]
!$xmp coarray on p :: everywhere, grid
  integer, parameter :: even = 840  ! so many that all images have equally many
!$xmp template wide(even)
!$xmp distribute wide(block) onto p
  integer :: pairs(2, even), part(:, 0:)[*]
!$xmp align pairs(*, i) with wide(i)
!$xmp shadow pairs(0, 1)
!$xmp local_alias part => pairs
end module

program mixed
  use shared
  use xmp_lib
  implicit none
  integer, save :: own(4)[0:*]
  integer :: me, images, i, total, other(2), found, last
  me = this_image()
  images = num_images()
  own = 10 * me
  everywhere = me
  grid = 100 * me + [1, 2, 3]
!$xmp loop on t(i)
  do i = 1, n
    u(i) = i
  end do
  total = 0
!$xmp loop on t(i) reduction(+:total)
  do i = 1, n
    total = total + nint(u(i))
  end do
  call tell('loop', total == n * (n + 1) / 2)
  sync all
  own(2)[mod(me, images)] = me
  sync all
  call tell('put', own(2) == modulo(me - 2, images) + 1 .and. own(1) == 10 * me)
  call tell('this_image', this_image(everywhere, 1) == me .and. all(this_image(grid) == [modulo(me - 1, 2) + 1, (me + 1) / 2]))
  if (me == images) own(3:4)[0] = [7, 8]
  sync all
  if (me == 1) call tell('section', all(own(3:4) == [7, 8]))

  if (command_argument_count() > 0) call alias_of_unequal_blocks()
  call aliases()
!$xmp task on p(2:)
  call behind_the_first()
!$xmp end task
  sync all
  if (me == 1) call tell('from a task', everywhere == 1000 + images .and. grid(2) == -1)
!$xmp task on p(images)
  other = 0
  call xmp_get_primary_image_index(1, [1], other)
  call tell('primary of the executing set', other(1) == images)
  call xmp_get_image_index(1, images, found, xmp_desc_of(p))
  call tell('current', found == 1)
  call xmp_get_image_index(1, 1, found, xmp_desc_of(p))
  call tell('no image', found == merge(1, 0, images == 1))
!$xmp end task
contains
  subroutine tell(name, ok)
    character(*), intent(in) :: name
    logical, intent(in) :: ok
    print '(a, 1x, l1)', name, ok
  end subroutine

  ! Each image puts its outer columns into its neighbours' shadows.
  subroutine aliases()
    logical :: right
!$xmp loop on wide(i)
    do i = 1, even
      pairs(:, i) = [i, -i]
    end do
    last = even / images
    call tell('bounds of an alias', all(lbound(part) == [1, 0]) .and. all(shape(part) == [2, last + 2]))
    sync all
    if (me > 1) part(:, last + 1)[me - 1] = part(:, 1)
    if (me < images) then
      do i = 1, 2
        part(i, 0)[me + 1] = part(i, last)
      end do
    end if
    sync all
    right = .true.
!$xmp loop on wide(i)
    do i = 2, even - 1
      right = right .and. all(pairs(:, i - 1) == [i - 1, 1 - i]) .and. all(pairs(:, i + 1) == [i + 1, -1 - i])
    end do
    call tell('alias', right)
    call tell('alias on another image', all(part(:, last)[images] == [even, -even]))
    call own_aliases(last)
    call own_aliases(2 * last)
  end subroutine

  ! Of arrays that come and go.
  subroutine own_aliases(last)
    integer, intent(in) :: last
    real(8) :: given(last * images), shown(0:)[*]
    complex, allocatable :: later(:)
    complex :: seen(:)[0:*]
!$xmp template all_of(last * images)
!$xmp distribute all_of(block) onto p
!$xmp align (i) with all_of(i) :: given, later
!$xmp shadow given(1)
!$xmp local_alias shown => given
!$xmp local_alias seen => later
    call tell('alias without memory', .not. allocated(seen))
    allocate (later(last * images))
    shown = me
    seen = me
    sync all
    call tell('aliases of their own', shown(last)[images] == images .and. all(seen(:)[0] == 1) .and. size(seen) == last)
    sync all
    deallocate (later)
    call tell('alias without memory', .not. allocated(seen))
  end subroutine

  subroutine alias_of_unequal_blocks()
    integer :: v(n), w(:)[*]
!$xmp align v(i) with t(i)
!$xmp local_alias w => v
    w = 0
  end subroutine

  ! Image selectors of `own` count in the task, those of `everywhere` and `grid` among all images.
  subroutine behind_the_first()
    integer :: here
    here = this_image()
    call tell('in the task', here == me - 1 .and. num_images() == images - 1)
    call tell('of the task', own(1)[0] == 20 .and. own(1)[here - 1] == 10 * me)
    call tell('of all', everywhere[1] == 1 .and. grid(3)[1, 1] == 103 .and. grid(3)[modulo(me - 1, 2) + 1, (me + 1) / 2] == 100 * me + 3)
    call tell('this_image of all', this_image(everywhere, 1) == me)
    call tell('alias of all', part(1, 1)[1] == 1 .and. part(2, 1)[me] == -1 - last * (me - 1) .and. this_image(part, 1) == me)
    sync all
    if (here == num_images()) then
      everywhere[1] = 1000 + images
      grid(2)[1, 1] = -1
    end if
    if (images > 2) then
      if (here == 1) then
!$xmp image(p)
        sync images(3)
      else if (here == 2) then
!$xmp image(p)
        sync images(2)
      end if
    end if
!$xmp image(p)
    sync images(me)
  end subroutine
end program
