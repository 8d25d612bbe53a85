      PROGRAM OLD
C     An old program.
      INCLUDE 'flow.inc'
      INTEGER I, J
      DATA EPS /1.0E-3/
      CALL INIT
      DO 10 ITER = 1, 5
         CALL SWEEP(RES)
   10 CONTINUE
      WRITE (*, 100) RES
  100 FORMAT (' RES =', F12.6)
      END
      SUBROUTINE INIT
      INCLUDE 'flow.inc'
!$XMP LOOP (J) ON T(J)
      DO 20 J = 1, M
      DO 20 I = 1, N
         U(I,J) = 0.0
         IF (I.EQ.1 .OR. J .EQ. 1) U(I,J) = 1.0
         V(I,J) = U(I,J)
   20 CONTINUE
      RETURN
      END
      SUBROUTINE SWEEP(R)
      INCLUDE 'flow.inc'
      R = 0.0
C$XMP REFLECT (U)
C$XMP LOOP (J) ON T(J)
C$XMP& REDUCTION(+:R)
      DO30J=2,M-1
      DO 25 I = 2, N-1
         V(I,J) = 0.25*(U(I-1,J) + U(I+1,J)
     &          + U(I,J-1) + U(I,J+1))                                  SEQ00010
         R = R + ABS(V(I,J) - U(I,J))
   25 CONTINUE
   30 CONTINUE
C$XMP LOOP (J) ON T(J)
      DO 40 J = 2, M-1
      DO 40 I = 2, N-1
   40 U(I,J) = V(I,J)
      GOTO 50
   50 RETURN
      END
