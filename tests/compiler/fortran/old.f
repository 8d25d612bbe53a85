      CALL OLD
      END
C     An old program, whose first statement is a call.
      SUBROUTINE OLD
      INCLUDE 'flow.inc'
      INTEGER I, J
      DATA EPS /1.0E-3/
      CALL INIT
      DO 10 ITER = 1, 5
         CALL SWEEP(RES)
   10 CONTINUE
      WRITE (*, 100) RES
  100 FORMAT (' RES =', F12.6)
      CALL DEAL
      CALL AFTER
      DO 20 K = 1, 3
   20 CALL GROW(5*K)
      CALL TWICE
      CALL GROWN
      CALL LADDER
      CALL LABELS
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
      REAL QUART, ABS
      R = 0.0
C$XMP REFLECT (U)
C$XMP LOOP (J) ON T(J)
C$XMP& REDUCTION(+:R)
      DO30J=2,M-1
      DO 25 I = 2, N-1
         V(I,J) = QUART(U(I-1,J) + U(I+1,J)
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
      REAL FUNCTION QUART(X)
      QUART = 0.25*X
      END
C     Loops that end with the statement they repeat, over positions.
      SUBROUTINE DEAL
      PARAMETER (N = 40, M = 30)
      COMMON /CARDS/ A(N,M)
      COMMON /CARDS/ B(N,M)
!$XMP NODES P(*)
!$XMP TEMPLATE T(N,M)
!$XMP DISTRIBUTE T(*,CYCLIC) ONTO P
*$XMP ALIGN (I,J) WITH T(I,J) :: A, B
      F(X,Y) = X*X + Y
!$XMP LOOP (J) ON T(*,J)
      DO 20 J = 1, M
      DO 20 I = 1, N
   20 A(I,J) = MOD(I*J, 100)
!$XMP LOOP (J) ON T(*,J)
      DO 30 J = 1, M
      DO 10 I = 1, N
         IF (A(I,J) - 50.) 5, 6, 7
    5    B(I,J) = F(A(I,J), 1.)
         GO TO 10
    6    B(I,J) = 0.
         GO TO 10
    7    B(I,J) = -A(I,J)
   10 CONTINUE
   30 CONTINUE
      S = 0.
      KIND = 3
!$XMP LOOP (J) ON T(*,J)
!$XMP+ REDUCTION(+:S)
      DO 40 J = 1, M
      DO 40 I = 1, N
   40 S = S + B(I,J)
      WRITE (*, 200) S + KIND
  200 FORMAT (4H S =, F12.1)
      END
C     Variables that are declared nowhere, first used in a loop.
      SUBROUTINE AFTER
      PARAMETER (N = 40)
      DIMENSION A(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN A(I) WITH T(I)
C$XMP LOOP ON T(K)
      DO 10 K = 1, N
         HALF = 0.5
   10 A(K) = K * HALF
C$XMP TASK ON P(1)
      LAST = 7
      INQUIRE (FILE='nowhere', NUMBER=NONE)
C$XMP END TASK
C$XMP BCAST (LAST, NONE) FROM P(1)
      WRITE (*, 20) K, HALF, LAST + 1 + NONE
   20 FORMAT (8H AFTER =, I4, F4.1, I4)
      END
C     An array of a COMMON block that the main program has not, beside
C     one that is created anew at each call.
      SUBROUTINE GROW(N)
      COMMON /GREEN/ U(12)
      REAL W(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(12)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN U(I) WITH T(I)
C$XMP TEMPLATE S(N)
C$XMP DISTRIBUTE S(BLOCK) ONTO P
C$XMP ALIGN W(I) WITH S(I)
C$XMP LOOP ON S(I)
      DO 10 I = 1, N
   10 W(I) = I
C$XMP LOOP ON T(I)
      DO 20 I = 1, 12
      IF (N .EQ. 5) U(I) = 0.
   20 U(I) = U(I) + I
      END
      SUBROUTINE TWICE
      REAL U
      COMMON /GREEN/ U(12)
C$XMP NODES P(*)
C$XMP TEMPLATE T(12)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN U(I) WITH T(I)
C$XMP LOOP ON T(I)
      DO 10 I = 1, 12
   10 U(I) = 2.*U(I)
      END
      SUBROUTINE GROWN
      REAL U
      COMMON /GREEN/ U(12)
C$XMP NODES P(*)
C$XMP TEMPLATE T(12)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN U(I) WITH T(I)
      S = 0.
C$XMP LOOP ON T(I) REDUCTION(+:S)
      DO 10 I = 1, 12
   10 S = S + U(I)
      WRITE (*, 20) S
   20 FORMAT (8H GROWN =, F8.1)
      END
C     Procedures that begin at several places, with other arguments.
      SUBROUTINE LADDER
      PARAMETER (N = 20)
      REAL U(N), V(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN (I) WITH T(I) :: U, V
      CALL RUNG(U, 2., N)
      CALL RUNG2(3., N, V)
      DO 10 K = 1, 3
      CALL RUNG3(V(1), U(1), N)
   10 CALL RUNG2(1., N, U)
      CALL REST(0.)
      CALL HEIGHT(U, R, N)
      CALL HEIGH2(S, N, V(1))
      WRITE (*, 20) R, S, COUNT1(V, 1.), COUNT2(2., V)
   20 FORMAT (9H LADDER =, 4F9.1)
      END
      SUBROUTINE RUNG(A, C, N)
      REAL A(N), B(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN (I) WITH T(I) :: A, B
      SAVE F
      F = C
C$XMP LOOP ON T(I)
      DO 10 I = 1, N
   10 A(I) = F*I
      ENTRY REST(C)
      F = F + 1.
      RETURN
      ENTRY RUNG2(C, N, B)
      F = F + C
C$XMP LOOP ON T(I)
      DO 20 I = 1, N
   20 B(I) = F + I
      GOTO 40
      ENTRY RUNG3(B, A, N)
C$XMP LOOP ON T(I)
      DO 30 I = 1, N
   30 A(I) = A(I) + 2.*B(I)
   40 F = F + 1.
      END
      SUBROUTINE HEIGHT(A, S, N)
      REAL A(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN A(I) WITH T(I)
      ENTRY HEIGH2(S, N, A)
      REAL LARGE
      LARGE = 0.
C$XMP LOOP ON T(I) REDUCTION(MAX:LARGE)
      DO 10 I = 1, N
   10 LARGE = AMAX1(LARGE, A(I))
      S = LARGE
      END
      FUNCTION COUNT1(A, C)
      REAL A(20)
C$XMP NODES P(*)
C$XMP TEMPLATE T(20)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN A(I) WITH T(I)
      ENTRY COUNT2(C, A)
      COUNT1 = 0.
C$XMP LOOP ON T(I) REDUCTION(+:COUNT1)
      DO 10 I = 1, 20
   10 COUNT1 = COUNT1 + C*A(I)
      END
C     Jumps to statements that directives govern.
      SUBROUTINE LABELS
      PARAMETER (N=16)
      REAL U(N), V(N), W(N)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN U(I) WITH T(I)
C$XMP ALIGN V(I) WITH T(I)
      K = 0
      S = 0.
      DO 5 I = 1, N
    5 W(I) = I
      GO TO 10
      S = 1000.
C$XMP GMOVE
   10 U(:) = W(:)
      GO TO 20
      S = S + 100.
C$XMP ARRAY ON T
   20 V(:) = U(:) + 1.
      GO TO (25, 30) 2
   25 S = S + 1E4
C$XMP LOOP ON T(I) REDUCTION(+:S)
   30 DO 40 I = 1, N
   40 S = S + V(I)*U(I)
      K = K + 1
      IF (K .LT. 3) GO TO 30
      IF (K .LT. 4) GO TO 20
      DO 50 L = 1, 3
      IF (L .EQ. 2) GO TO 50
      S = S + 1.
C$XMP GMOVE
   50 U(:) = V(:)
      DO 60 L = 1, 3
      IF (L .EQ. 2) GO TO 60
      S = S + 1.
C$XMP ARRAY ON T
   60 V(:) = 2.*U(:) + L
      DO 70 L = 1, 2
      IF (L .EQ. 2) GO TO 69
      S = S + 1.
C$XMP LOOP ON T(I) REDUCTION(+:S)
   69 DO 70 I = 1, N
   70 S = S + V(I)
C     Assigned ones inside of a loop.
      ASSIGN 75 TO LABEL
      IF (N .EQ. 15) ASSIGN 72 TO LABEL
C$XMP LOOP ON T(I) REDUCTION(+:S)
      DO 75 I = 1, N
      IF (MOD(I, 3) .EQ. 1) GO TO LABEL
      IF (MOD(I, 3) .EQ. 2) GOTOLABEL
      GO TO LABEL, (72, 75)
   72 S = S - 1000.
   75 S = S + U(I)
      CALL LASTLY(U, N, S)
      WRITE (*, 80) S
   80 FORMAT (9H LABELS =, F9.1)
      END
      SUBROUTINE LASTLY(A, N, S)
      DIMENSION A(1)
C$XMP NODES P(*)
C$XMP TEMPLATE T(N)
C$XMP DISTRIBUTE T(BLOCK) ONTO P
C$XMP ALIGN A(J) WITH T(J)
C$XMP LOOP ON T(J) REDUCTION(+:S)
      DO 10 J = 1, N
   10 S = S + A(J)
      END
