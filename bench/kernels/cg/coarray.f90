! Conjugate Gradient of the NAS Parallel Benchmarks in coarray Fortran: the smallest eigenvalue of a sparse matrix by the inverse
! power method. Written from the report RNR-94-007. Its argument is the class: S, W or A. Images: a power of two.
!
! The matrix lies on a grid of images, as many columns as rows or twice as many. An image multiplies its block by its part of a
! vector, which lies over the columns and is the same in all rows of the grid. The products are summed along the row of images,
! and go to the images that have this part.
include '../records.f90'
include '../nas.f90'

module matrices
  use nas
  implicit none
  private
  public :: make_matrix, multiply, sparse

  type sparse  ! row i has the elements start(i) .. start(i + 1) - 1
    integer, allocatable :: start(:), column(:)
    real(dp), allocatable :: value(:)
  end type

  type outer_products  ! vector i has a value at each place(k, i), k <= count(i)
    integer, allocatable :: place(:, :), count(:)
    real(dp), allocatable :: value(:, :)
  end type

contains

  ! Rows and columns behind the first ones of the sum of n weighted outer products, with 0.1 - shift on the diagonal.
  subroutine make_matrix(n, nonzeros, shift, first_row, rows, first_column, columns, matrix)
    integer, intent(in) :: n, nonzeros, first_row, rows, first_column, columns
    real(dp), intent(in) :: shift
    type(sparse), intent(out) :: matrix
    real(dp), parameter :: condition = 0.1_dp
    type(outer_products) :: vectors
    integer, allocatable :: start(:), vector(:), entry(:)
    integer :: known(columns), row, i, k, l, last
    vectors = random_vectors(n, nonzeros)
    call vectors_of_rows(vectors, first_row, rows, start, vector, entry)
    allocate (matrix%start(rows + 1), matrix%column(rows + sum(vectors%count(vector))))
    allocate (matrix%value(size(matrix%column)))
    known = 0
    last = 0
    do row = 1, rows
      matrix%start(row) = last + 1
      call add(first_row + row, condition - shift)
      do k = start(row), start(row + 1) - 1
        i = vector(k)
        do l = 1, vectors%count(i)
          call add(vectors%place(l, i), vectors%value(entry(k), i) * vectors%value(l, i) * condition**((i - 1) / real(n, dp)))
        end do
      end do
    end do
    matrix%start(rows + 1) = last + 1
  contains
    subroutine add(place, value)
      integer, intent(in) :: place
      real(dp), intent(in) :: value
      integer :: column
      column = place - first_column
      if (column < 1 .or. column > columns) return
      if (known(column) < matrix%start(row)) then
        last = last + 1
        known(column) = last
        matrix%column(last) = column
        matrix%value(last) = 0
      end if
      matrix%value(known(column)) = matrix%value(known(column)) + value
    end subroutine
  end subroutine

  ! Values at random places, and 0.5 at a place of its own.
  function random_vectors(n, nonzeros) result(vectors)
    integer, intent(in) :: n, nonzeros
    type(outer_products) :: vectors
    integer(int64) :: state
    real(dp) :: value
    integer :: power, i, place, count, own
    allocate (vectors%place(nonzeros + 1, n), vectors%value(nonzeros + 1, n), vectors%count(n))
    state = nas_seed
    value = nas_random(state)  ! the report's program draws one number before
    power = 2**ceiling(log(real(n)) / log(2.0))
    do i = 1, n
      count = 0
      do while (count < nonzeros)
        value = nas_random(state)
        place = 1 + int(power * nas_random(state))
        if (place > n .or. findloc(vectors%place(:count, i), place, dim=1) > 0) cycle
        count = count + 1
        vectors%place(count, i) = place
        vectors%value(count, i) = value
      end do
      own = findloc(vectors%place(:count, i), i, dim=1)
      if (own == 0) own = count + 1
      vectors%place(own, i) = i
      vectors%value(own, i) = 0.5_dp
      vectors%count(i) = max(count, own)
    end do
  end function

  ! Row i gets entry(k) of vector(k), where k = start(i) .. start(i + 1) - 1.
  subroutine vectors_of_rows(vectors, first_row, rows, start, vector, entry)
    type(outer_products), intent(in) :: vectors
    integer, intent(in) :: first_row, rows
    integer, allocatable, intent(out) :: start(:), vector(:), entry(:)
    integer :: i, k, row
    allocate (start(rows + 1), source=0)
    do i = 1, size(vectors%count)
      do k = 1, vectors%count(i)
        row = vectors%place(k, i) - first_row
        if (row >= 1 .and. row <= rows) start(row) = start(row) + 1
      end do
    end do
    allocate (vector(sum(start)), entry(sum(start)))
    do row = 2, rows + 1
      start(row) = start(row) + start(row - 1)
    end do
    start = start + 1  ! where the next row starts; from the last one back it becomes where the row itself does
    do i = size(vectors%count), 1, -1
      do k = 1, vectors%count(i)
        row = vectors%place(k, i) - first_row
        if (row < 1 .or. row > rows) cycle
        start(row) = start(row) - 1
        vector(start(row)) = i
        entry(start(row)) = k
      end do
    end do
  end subroutine

  subroutine multiply(rows, start, column, value, vector, products)
    integer, intent(in) :: rows, start(rows + 1), column(*)
    real(dp), intent(in) :: value(*), vector(*)
    real(dp), intent(out) :: products(rows)
    integer :: row, k
    real(dp) :: sum
    do row = 1, rows
      sum = 0
      do k = start(row), start(row + 1) - 1
        sum = sum + value(k) * vector(column(k))
      end do
      products(row) = sum
    end do
  end subroutine

end module

! Sums along a row of the grid of images.
module grids
  use nas
  implicit none
  private
  public :: deal, dot, sum_products
  integer, public :: my_row, my_column, rows, columns  ! of images, counted from 0
  integer, public :: block_rows, block_columns

  type exchange  ! with another image: it gets what is behind `give`, and what comes is added behind `take`
    integer :: partner, give, take
  end type
  type(exchange), allocatable :: exchanges(:)
  integer :: holder, held  ! the image that has my part of the sums, behind `held`; it wants my own
  integer :: first, last   ! what this image adds to the inner products of the vectors that its column has

  ! What partners put, by the number of the exchange; two in turn, so that no partner waits until the last one is read.
  real(dp), allocatable :: received(:, :, :)[:]
  integer :: turn = 1

contains

  subroutine deal(n)
    integer, intent(in) :: n
    logical :: wide
    rows = 1
    do while (4 * rows * rows <= num_images())
      rows = 2 * rows
    end do
    columns = num_images() / rows
    wide = columns == 2 * rows
    if (rows * columns /= num_images() .or. .not. (wide .or. columns == rows) .or. mod(n, columns) /= 0) &
      error stop 'the number of images is a power of two'
    my_row = (this_image() - 1) / columns
    my_column = mod(this_image() - 1, columns)
    block_rows = n / rows
    block_columns = n / columns
    first = block_columns * my_row / rows + 1
    last = block_columns * (my_row + 1) / rows
    call plan(wide)
    allocate (received(block_columns, size(exchanges) + 1, 2)[*])
  end subroutine

  ! A wide grid has twice as many columns as rows: there each image first keeps half of its rows.
  subroutine plan(wide)
    logical, intent(in) :: wide
    integer :: kept, bit
    kept = merge(mod(my_column, 2) * block_columns, 0, wide)
    held = kept
    allocate (exchanges(0))
    bit = 1
    do while (bit < columns)
      exchanges = [exchanges, exchange(image_at(my_row, ieor(my_column, bit)), kept, kept)]
      bit = 2 * bit
    end do
    if (wide) then
      exchanges(1)%give = block_columns - kept
      holder = image_at(my_column / 2, 2 * my_row + mod(my_column, 2))
    else
      holder = image_at(my_column, my_row)
    end if
  end subroutine

  pure integer function image_at(row, column)
    integer, intent(in) :: row, column
    image_at = 1 + row * columns + column
  end function

  ! The sums of my part, of the products of all images in my row of the grid.
  subroutine sum_products(products, sums)
    real(dp), intent(inout) :: products(:)
    real(dp), intent(out) :: sums(:)
    integer :: i, n, give, take, partner
    n = block_columns
    do i = 1, size(exchanges)
      partner = exchanges(i)%partner
      give = exchanges(i)%give
      take = exchanges(i)%take
      received(1:n, i, turn)[partner] = products(give + 1:give + n)
      sync images (partner)
      products(take + 1:take + n) = products(take + 1:take + n) + received(1:n, i, turn)
    end do
    if (holder == this_image()) then
      sums = products(held + 1:held + n)
    else
      received(1:n, i, turn)[holder] = products(held + 1:held + n)
      sync images (holder)
      sums = received(1:n, i, turn)
    end if
    turn = 3 - turn
  end subroutine

  real(dp) function dot(a, b)
    real(dp), intent(in) :: a(:), b(:)
    dot = dot_product(a(first:last), b(first:last))
    call co_sum(dot)
  end function

end module

program conjugate_gradient
  use nas
  use matrices
  use grids
  implicit none

  select case (nas_class())
  case ('S')
    call run(1400, 7, 10.0_dp, 8.5971775078648_dp)
  case ('W')
    call run(7000, 8, 12.0_dp, 10.362595087124_dp)
  case ('A')
    call run(14000, 11, 20.0_dp, 17.130235054029_dp)
  end select

contains

  ! As the report times it.
  subroutine run(n, nonzeros, shift, expected)
    integer, intent(in) :: n, nonzeros
    real(dp), intent(in) :: shift, expected
    type(sparse) :: matrix
    real(dp), allocatable :: x(:)
    real(dp) :: start, seconds, found
    integer :: i
    call deal(n)
    call make_matrix(n, nonzeros, shift, my_row * block_rows, block_rows, my_column * block_columns, block_columns, matrix)
    allocate (x(block_columns), source=1.0_dp)
    call improve(matrix, shift, x, found)  ! not timed
    x = 1
    sync all
    start = seconds_now()
    do i = 1, 15
      call improve(matrix, shift, x, found)
    end do
    seconds = seconds_now() - start
    if (this_image() == 1) call nas_report(seconds, found, abs(found - expected) <= 1d-10 * expected)
  end subroutine

  ! One step of the inverse power method; the estimate of the eigenvalue.
  subroutine improve(matrix, shift, x, estimate)
    type(sparse), intent(in) :: matrix
    real(dp), intent(in) :: shift
    real(dp), intent(inout) :: x(:)
    real(dp), intent(out) :: estimate
    real(dp) :: z(size(x)), residual
    call solve(matrix, x, z, residual)
    estimate = shift + 1 / dot(x, z)
    x = z / sqrt(dot(z, z))
  end subroutine

  ! A z = x by conjugate gradients, and the norm of what is left.
  subroutine solve(matrix, x, z, residual)
    type(sparse), intent(in) :: matrix
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: z(:), residual
    real(dp) :: p(size(x)), q(size(x)), r(size(x)), rho, before, alpha
    integer :: step
    z = 0
    r = x
    p = r
    rho = dot(r, r)
    do step = 1, 25
      call apply(matrix, p, q)
      alpha = rho / dot(p, q)
      z = z + alpha * p
      r = r - alpha * q
      before = rho
      rho = dot(r, r)
      p = r + rho / before * p
    end do
    call apply(matrix, z, r)
    r = x - r
    residual = sqrt(dot(r, r))
  end subroutine

  ! The product of matrix and vector.
  subroutine apply(matrix, vector, product_)
    type(sparse), intent(in) :: matrix
    real(dp), intent(in) :: vector(:)
    real(dp), intent(out) :: product_(:)
    real(dp) :: products(block_rows)
    call multiply(block_rows, matrix%start, matrix%column, matrix%value, vector, products)
    call sum_products(products, product_)
  end subroutine

end program
