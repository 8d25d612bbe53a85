! Distributed arrays in a netCDF file: what one layout writes, another reads; the file itself is looked at by the test. Each line
! says what was compared, and T.
program netcdf
  use xmp_lib
  use xmpnf90
  implicit none
  integer, parameter :: n = 12, m = 5
  real(8) :: u(n, m), v(n, m)
  integer :: w(n), x(n), i, j, file, rows, columns, time, of_u, of_w, of_t, of_one, status, wrong, found, one, form, ids(3)
  integer(2) :: limits(2)
  integer(8) :: length, bytes
  integer :: asked(2), states(2), of_later, of_turned, of_pair(2)
  character(20) :: text, name
!$xmp nodes p(*)
!$xmp template t(n, m)
!$xmp distribute t(block, *) onto p
!$xmp template c(n, m)
!$xmp distribute c(*, cyclic(2)) onto p
!$xmp template r(n)
!$xmp distribute r(cyclic) onto p
!$xmp align u(i, j) with t(i, j)
!$xmp shadow u(1, 0)
!$xmp align v(i, j) with c(i, j)
!$xmp align w(i) with r(i)
!$xmp align x(i) with r(i)
!$xmp loop (i, j) on t(i, j)
  do j = 1, m
    do i = 1, n
      u(i, j) = 10 * j + i
    end do
  end do
  call good(xmpnf90_create(xmp_get_mpi_comm(), 'fields.nc', ior(NF90_CLOBBER, NF90_64BIT_DATA), 0, file))
  call good(xmpnf90_def_dim(file, 'row', n, rows))
  call good(xmpnf90_def_dim(file, 'column', int(m, 8), columns))
  call good(xmpnf90_def_dim(file, 'time', NF90_UNLIMITED, time))
  call good(xmpnf90_def_var(file, 'u', NF90_DOUBLE, [rows, columns], of_u))
  call good(xmpnf90_def_var(file, 'w', NF90_INT, [rows, time], of_w))
  call good(xmpnf90_def_var(file, 'one', NF90_INT, [rows], of_one))
  call good(xmpnf90_put_att(file, of_u, 'unit', 'metre'))
  call good(xmpnf90_put_att(file, of_u, 'limits', [11_2, 62_2]))
  call good(xmpnf90_put_att(file, NF90_GLOBAL, 'version', 3.5d0))
  call good(xmpnf90_def_var_of(file, 'later', NF90_NAT, xmp_desc_of(w), ['row ', 'time'], of_later))
  call good(xmpnf90_def_var(file, 'turned', NF90_DOUBLE, [columns, rows], of_turned))
  call good(xmpnf90_def_var_of(file, 'pair_u', NF90_FLOAT, xmp_desc_of(u), ['row   ', 'column'], of_pair(1)))
  call good(xmpnf90_def_var_of(file, 'pair_w', NF90_INT, xmp_desc_of(w), ['row'], of_pair(2)))
  call good(xmpnf90_enddef(file))
  call good(xmpnf90_put_var_all(file, of_u, xmp_desc_of(u)))
  do j = 1, 2
!$xmp loop on r(i)
    do i = 1, n
      w(i) = 100 * j + i
    end do
    call good(xmpnf90_put_var_all(file, of_w, xmp_desc_of(w), start=[1_8, int(j, 8)]))
  end do
  call good(xmpnf90_put_var_all(file, of_one, xmp_desc_of(w), first=[1_8], length=[4_8], step=[3_8]))
  call good(xmpnf90_put_var_all(file, of_one, 77, [2_8]))
  call good(xmpnf90_inq_bput_size(file, of_later, xmp_desc_of(w), bytes, [1_8], [int(n, 8)]))
  call good(xmpnf90_buffer_attach(file, max(bytes, 1_8)))
  call good(xmpnf90_iput_var(file, of_later, xmp_desc_of(w), asked(1), start=[1_8, 2_8]))
  call good(xmpnf90_bput_var(file, of_later, xmp_desc_of(w), asked(2), start=[1_8, 1_8]))
  call good(xmpnf90_wait_all(file, 2, asked, states))
  call good(xmpnf90_buffer_detach(file))
  call good(xmpnf90_put_var_all(file, of_turned, xmp_desc_of(u), start=[1_8, 1_8], map=[2_8, 1_8]))
  call good(xmpnf90_mput_var_all(file, of_pair, [xmp_desc_of(u), xmp_desc_of(w)]))
  call good(xmpnf90_put_varn_all(file, of_one, xmp_desc_of(w), reshape([5_8, 12_8], [1, 2]), reshape([2_8, 1_8], [1, 2]), &
    reshape([1_8, 1_8], [1, 2])))
  call good(xmpnf90_close(file))

  call good(xmpnf90_open(xmp_get_mpi_comm(), 'fields.nc', NF90_NOWRITE, 0, file))
  call good(xmpnf90_inq_varid(file, 'u', found))
  call good(xmpnf90_inquire_variable(file, found, name, form, one, ids))
  print *, 'a variable:', found == of_u .and. name == 'u' .and. form == NF90_DOUBLE .and. one == 2 .and. &
    all(ids(:2) == [rows, columns])
  call good(xmpnf90_inq_unlimdim(file, found))
  call good(xmpnf90_inquire_dimension(file, found, name, length))
  print *, 'the records:', found == time .and. name == 'time' .and. length == 2
  text = ''
  call good(xmpnf90_get_att(file, of_u, 'unit', text))
  call good(xmpnf90_get_att(file, of_u, 'limits', limits))
  print *, 'attributes:', text == 'metre' .and. all(limits == [11, 62])
  call good(xmpnf90_get_var_all(file, of_u, xmp_desc_of(v)))
  call good(xmpnf90_get_var_all(file, of_w, xmp_desc_of(x), start=[1_8, 1_8]))
  call good(xmpnf90_get_var_all(file, of_one, one, [2_8]))
  wrong = 0
!$xmp loop on c(*, j) reduction(+:wrong)
  do j = 1, m
    do i = 1, n
      if (v(i, j) /= 10 * j + i) wrong = wrong + 1
    end do
  end do
!$xmp loop on r(i) reduction(+:wrong)
  do i = 1, n
    if (x(i) /= 100 + i) wrong = wrong + 1
  end do
  print *, 'the data:', wrong == 0 .and. one == 77
  call good(xmpnf90_get_var_all(file, of_turned, xmp_desc_of(v), start=[1_8, 1_8], map=[2_8, 1_8]))
  call good(xmpnf90_iget_var(file, of_later, xmp_desc_of(x), asked(1), start=[1_8, 1_8]))
  call good(xmpnf90_wait_all(file, 1, asked, states))
!$xmp loop on c(*, j) reduction(+:wrong)
  do j = 1, m
    do i = 1, n
      if (v(i, j) /= 10 * j + i) wrong = wrong + 1
    end do
  end do
!$xmp loop on r(i) reduction(+:wrong)
  do i = 1, n
    if (x(i) /= 200 + i) wrong = wrong + 1
  end do
  print *, 'requests and turned dimensions:', wrong == 0 .and. &
    xmpnf90_get_var_all(file, of_turned, xmp_desc_of(v), start=[1_8]) == NF90_EINVAL
  status = xmpnf90_inq_varid(file, 'missing', found)
  print *, 'an error:', status == NF90_ENOTVAR .and. len_trim(xmpnf90_strerror(status)) > 0
  call good(xmpnf90_close(file))
contains
  subroutine good(code)
    integer, intent(in) :: code
    if (code /= NF90_NOERR) print *, trim(xmpnf90_strerror(code)), code
  end subroutine
end program
