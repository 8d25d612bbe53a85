! Teams, one in another: numbers of images, what image indices mean, synchronisation.
subroutine teams
  use iso_fortran_env
  implicit none
  type(team_type) :: halves, quarters, same
  integer, save :: x[*], total[*], from[*]
  integer, allocatable :: y(:)[:], kept(:)[:]
  integer :: me, images, half, mine, count, i, status
  me = this_image()
  images = num_images()
  x = me
  total = 0
  half = 1 + mod(me, 2)
  call report('initial', team_number() == -1)
  form team (half, halves)
  call report('before', num_images() == images)
  mine = (me + 1)/2
  count = (images + 2 - half)/2
  if (half == 1) then
    mine = me/2
    count = images/2
  else
    count = (images + 1)/2
  end if
  change team (halves)
    call report('numbers', this_image() == mine .and. num_images() == count .and. team_number() == half)
    call report('distance', this_image(distance=1) == me .and. num_images(distance=1) == images)
    call report('far distance', this_image(distance=9) == me .and. num_images(distance=9) == images)
    do i = 1, count
      if (x[i] /= merge(2*i, 2*i - 1, half == 1)) call report('index', .false.)
    end do
    allocate (y(3)[*], stat=status)
    call report('allocate', status == 0 .or. far())
    if (status == 0) y = 100*half + mine
    sync all
    if (status == 0) call report('allocated', y(2)[count] == 100*half + count)
    form team (1 + (mine - 1)/2, quarters)
    change team (quarters)
      call report('nested', team_number() == 1 + (mine - 1)/2 .and. this_image() == 1 + mod(mine - 1, 2))
      if (status == 0) call report('outer', y(1)[1] == 100*half + mine - mod(mine - 1, 2))
      call report('outermost', this_image(distance=2) == me)
      sync team (quarters)
      sync team (halves)
    end team
    call report('back', team_number() == half .and. num_images() == count)
    call report('child', team_number(quarters) == 1 + (mine - 1)/2)
    critical
      total[1] = total[1] + 1
    end critical
    sync all
    if (mine == 1) call report('critical', total == count)
    if (status == 0) then
      deallocate (y)
      allocate (kept(5)[*])
      allocate (y(7)[*])
    end if
  end team
  call report('freed', .not. allocated(kept) .and. .not. allocated(y))
  allocate (kept(2)[*])
  kept = me
  sync all
  call report('again', kept(2)[images] == images)
  from[1 + mod(mine, count), team=halves] = mine
  sync all
  call report('put in a team', from == 1 + mod(mine + count - 2, count))
  form team (7, same)
  sync team (same)
  sync all
  call report('end', team_number() == -1 .and. x[images] == images .and. team_number(halves) == half)
contains
  include 'far.inc'
  subroutine report(name, right)
    character(*), intent(in) :: name
    logical, intent(in) :: right
    if (.not. right .or. me == images) print *, name, right
  end subroutine
end subroutine
