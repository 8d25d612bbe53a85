C     ******************************************************************
C     *                                                                *
C     *   COAST -- TIDES, WIND, STRATIFICATION AND PLANKTON OF A BAY   *
C     *                                                                *
C     ******************************************************************
C
C     A THREE-DIMENSIONAL MODEL OF A BAY THAT IS OPEN TO THE OCEAN IN
C     THE WEST.  PRIMITIVE EQUATIONS WITH A FREE SURFACE (FAST WAVES
C     IN SMALLER STEPS), EQUATION OF STATE OF UNESCO (1981), MIXING
C     AFTER PACANOWSKI AND PHILANDER (1981), NINE TRACERS WITH
C     PLANKTON AFTER FASHAM, WAVES AFTER SVERDRUP, MUNK AND
C     BRETSCHNEIDER, RESUSPENSION, AND A SEWAGE OUTFALL.
C
C     THE SEA IS WORKED ON ROW BY ROW, SO THAT THE WORK ARRAYS HOLD
C     ONE ROW (COMMON /SLAB/).  THE ROUTINES THAT GET A ROW NUMBER J
C     READ ROWS J-1, J AND J+1 AND WRITE ROW J.
C
C     UNITS ARE METRES, SECONDS AND DEGREES, UNLESS STATED OTHERWISE.
C
      PROGRAM COAST
      INCLUDE 'coast.inc'
      CALL DECK
      CALL GEOMET
      AMPM2 = TIDSET(SLAT)
      TIME = 0.0
      ISTEP = 0
C     THE SEA AT REST
C$XMP LOOP ON ROWS(J)
      DO 10 J = 1, JM
         CALL START(J)
   10 CONTINUE
C     REPORT, THEN ONE STEP, AND AGAIN
   20 CONTINUE
      CALL WEATHR
      CALL RUNOFF
      IF (MOD(ISTEP, NPRINT) .NE. 0 .AND. ISTEP .NE. NSTEP) GO TO 30
      CALL SURVEY
C$XMP TASK ON PROC(1)
      CALL REPORT
C$XMP END TASK
   30 IF (ISTEP - NSTEP) 40, 50, 50
   40 CALL STEP
      ISTEP = ISTEP + 1
      TIME = ISTEP * DT
      GO TO 20
   50 CONTINUE
      END
C
C     ==================================================================
C     ONE TIME STEP
C     ==================================================================
C
C     SLOW PART OF THE MOTION, FAST WAVES, THEN WHAT THE WATER CARRIES
C
      SUBROUTINE STEP
      INCLUDE 'coast.inc'
C     SHEAR, BUOYANCY, FRICTION: VELOCITIES WITHOUT THE SURFACE SLOPE
C$XMP REFLECT (U, V, W, C, ETA, KMT, KMV)
C$XMP LOOP ON ROWS(J)
      DO 10 J = 2, JM - 1
         CALL CLINIC(J)
   10 CONTINUE
C     THE SURFACE AND THE TRANSPORTS, IN NSUB SMALL STEPS
      DO 40 N = 1, NSUB
         TFAST = TIME + N * DTB
C$XMP REFLECT (ETA)
C$XMP LOOP ON ROWS(J)
         DO 20 J = 2, JM - 1
            CALL BTROPM(J, TFAST)
   20    CONTINUE
C$XMP REFLECT (VB)
C$XMP LOOP ON ROWS(J)
         DO 30 J = 2, JM - 1
            CALL BTROPC(J, TFAST)
   30    CONTINUE
   40 CONTINUE
C     VELOCITIES THAT CARRY THESE TRANSPORTS
C$XMP LOOP ON ROWS(J)
      DO 50 J = 2, JM - 1
         CALL CORECT(J)
   50 CONTINUE
C     TRACERS
C$XMP REFLECT (V)
C$XMP LOOP ON ROWS(J)
      DO 60 J = 2, JM - 1
         CALL TRACER(J)
   60 CONTINUE
C$XMP LOOP ON ROWS(J)
      DO 70 J = 2, JM - 1
         CALL RENEW(J)
   70 CONTINUE
      AB = 1.0
      RETURN
      END
C
C     WHAT REPORT TELLS: SUMS OVER THE SEA, HIGHEST VALUES, PROFILES,
C     GAUGES, A MAP, AND A CHECK SUM OF ALL BITS OF THE STATE
C
      SUBROUTINE SURVEY
      INCLUDE 'coast.inc'
      CALL CLEAR
C$XMP LOOP ON ROWS(J) REDUCTION(MAX: PEAK)
C$XMP& REDUCTION(+: SUMS, PROF, COUNT, GAUGE, MAP, MAPMIX, KCHECK,
C$XMP& THROUG, COCEAN)
      DO 10 J = 2, JM - 1
         CALL SUMROW(J)
   10 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     SETTING UP
C     ==================================================================
C
C     CONSTANTS OF NATURE AND OF THE MODEL
C
      BLOCK DATA CONSTS
      INCLUDE 'coast.inc'
      DATA GRAV, RHO0, CP / 9.81, 1026.0, 3990.0 /
      DATA AVMIN, AVMAX, CVMIN, CDBOT / 1.0D-5, 2.0D-2, 1.0D-6, 2.5D-3 /
      DATA PMAX, HALFN, ALIGHT, GRAZE / 2.2, 0.5, 0.035, 1.1 /
      DATA HALFP, REMIN, DEATH / 0.9, 0.06, 0.045 /
      DATA SINKD, SINKP, WSET / 4.0, 0.3, 2.0D-4 /
      DATA TAUCR, EROD, RATIO / 0.12, 4.0D-3, 8.6 /
      DATA IRIV / 39, 37, 38 /, JRIV / 12, 25, 38 /
      DATA IOUTF, JOUTF, OUTCOL, OUTNIT / 33, 30, 4.0D3, 9.0D2 /
      DATA IGA / 3, 15, 30, 36 /, JGA / 24, 10, 25, 38 /
      DATA ISEC / 5, 18, 32 /
      END
C
C     THE CARDS OF THIS RUN.  A CARD HAS A KEYWORD IN COLUMNS 1 TO 4,
C     A NUMBER IN 11 TO 20, AND A REMARK.
C
      SUBROUTINE DECK
      INCLUDE 'coast.inc'
      PARAMETER (NCARD = 10)
      CHARACTER*48 CARD(NCARD)
      CHARACTER*4 WORD, KNOWN(9)
      DATA KNOWN / 'STEP', 'FAST', 'RUN ', 'TELL', 'CELL', 'VISC',
     &             'DIFF', 'DAY ', 'LAT ' /
      DATA CARD(1) / 'STEP           240.0  SECONDS' /
      DATA CARD(2) / 'FAST             8.0  FAST STEPS IN EACH' /
      DATA CARD(3) / 'RUN             60.0  STEPS' /
      DATA CARD(4) / 'TELL            20.0  STEPS BETWEEN REPORTS' /
      DATA CARD(5) / 'CELL          1500.0  METRES' /
      DATA CARD(6) / 'VISC            40.0  M2/S' /
      DATA CARD(7) / 'DIFF            10.0  M2/S' /
      DATA CARD(8) / 'DAY            120.0  OF THE YEAR' /
      DATA CARD(9) / 'LAT             45.0  DEGREES NORTH' /
      DATA CARD(10) / 'END ' /
      DO 100 N = 1, NCARD
         READ (CARD(N), 900) WORD, VALUE
         IF (WORD .EQ. 'END ') GO TO 110
         CALL LOOKUP(WORD, KNOWN, 9, KEY, *200)
         GO TO (10, 20, 30, 40, 50, 60, 70, 80, 90), KEY
   10    DT = VALUE
         GO TO 100
   20    NSUB = VALUE
         GO TO 100
   30    NSTEP = VALUE
         GO TO 100
   40    NPRINT = VALUE
         GO TO 100
   50    DX = VALUE
         DY = VALUE
         GO TO 100
   60    AH = VALUE
         GO TO 100
   70    CH = VALUE
         GO TO 100
   80    DAY = VALUE
         GO TO 100
   90    SLAT = VALUE
  100 CONTINUE
  110 DTB = DT / NSUB
      RETURN
  200 WRITE (6, 910) WORD
      STOP 1
  900 FORMAT (A4, 6X, F10.0)
  910 FORMAT (1H0, 17HUNKNOWN KEYWORD: , A4)
      END
C
C     THE PLACE OF A WORD IN A LIST; THE ALTERNATE RETURN IF IT HAS NONE
C
      SUBROUTINE LOOKUP(WORD, LIST, N, KEY, *)
      CHARACTER*4 WORD, LIST(N)
      DO 10 KEY = 1, N
         IF (WORD .EQ. LIST(KEY)) RETURN
   10 CONTINUE
      RETURN 1
      END
C
C     LEVELS, WHICH GET THICKER DOWNWARD, AND THE ROTATION OF THE EARTH
C
      SUBROUTINE GEOMET
      INCLUDE 'coast.inc'
      DIMENSION THICK(10)
      DATA THICK / 2.0, 2.5, 3.5, 5.0, 7.0, 10.0, 14.0, 16.0, 20.0,
     &             25.0 /
      DATA OMEGA, RADIUS / 7.2921D-5, 6.371D6 /
      PI = 4.0 * ATAN(1.0D0)
      ZW(1) = 0.0
      DO 10 K = 1, KM
         DZ(K) = THICK(MIN0(K, 10))
         ZT(K) = ZW(K) + 0.5 * DZ(K)
         ZW(K+1) = ZW(K) + DZ(K)
   10 CONTINUE
      DO 20 J = 1, JM
         RLAT = SLAT * PI / 180.0 + (J - 1) * DY / RADIUS
         FCOR(J) = 2.0 * OMEGA * SIN(RLAT)
   20 CONTINUE
C     THE FIRST STEP IS EULER'S, THE OTHERS ARE ADAMS AND BASHFORTH'S
      AB = 0.0
      CALL STABLE
      RETURN
      END
C
C     STOPS A RUN WHOSE STEPS ARE TOO LONG FOR ITS WAVES
C
      SUBROUTINE STABLE
      INCLUDE 'coast.inc'
      WAVE = SQRT(GRAV * ZW(KM+1))
      FAST = DTB * WAVE * SQRT(1.0/DX**2 + 1.0/DY**2)
      SLOW = 4.0 * DT * AH * (1.0/DX**2 + 1.0/DY**2)
      IF (FAST - 1.0) 10, 30, 30
   10 IF (SLOW - 1.0) 20, 30, 30
   20 RETURN
   30 WRITE (6, 900) FAST, SLOW
      STOP 2
  900 FORMAT (1H0, 26HTHE TIME STEP IS TOO LONG:, 2F10.3)
      END
C
C     DEPTH OF THE SEABED (M, 0 ON LAND) AT COLUMN I OF ROW J: A VALLEY
C     THAT RISES TOWARD THE EAST, WITH TWO ISLANDS AND A SILL
C
      FUNCTION DEPTH(I, J)
      INCLUDE 'coast.inc'
C     AN ISLAND OR SILL ADDS A HILL AT (A, B) OF RADII R AND S
      HILL(A, B, R, S) = EXP(-((X - A) / R)**2 - ((Y - B) / S)**2)
      DEPTH = 0.0
      IF (I .EQ. IM .OR. J .EQ. 1 .OR. J .EQ. JM) RETURN
      X = DBLE(I) / IM
      Y = 2.0 * DBLE(J) / (JM + 1) - 1.0
      SHELF = ZW(KM+1) * (1.06 - 0.75 * X)
      SHORE = 0.96 - 0.12 * SIN(9.0 * X)
      DEPTH = SHELF * (1.0 - (Y / SHORE)**4)
      DEPTH = DEPTH - 55.0 * HILL(0.52D0, 0.30D0, 0.06D0, 0.10D0)
      DEPTH = DEPTH - 60.0 * HILL(0.70D0, -0.40D0, 0.05D0, 0.13D0)
      DEPTH = DEPTH - 14.0 * HILL(0.35D0, -0.10D0, 0.08D0, 0.60D0)
      DEPTH = DMAX1(DEPTH, 0.0D0)
      RETURN
      END
C
C     NUMBER OF WET LEVELS; AT LEAST TWO OR NONE
C
      FUNCTION LEVELS(I, J)
      INCLUDE 'coast.inc'
      LEVELS = 0
      IF (I .LT. 1 .OR. I .GT. IM) RETURN
      IF (J .LT. 1 .OR. J .GT. JM) RETURN
      D = DEPTH(I, J)
      DO 10 K = 1, KM
         IF (D .GE. ZT(K)) LEVELS = K
   10 CONTINUE
      IF (LEVELS .LT. 2) LEVELS = 0
      RETURN
      END
C
C     ROW J AT REST: SEABED, STRATIFICATION OF SPRING, WINTER'S NITRATE
C
      SUBROUTINE START(J)
      INCLUDE 'coast.inc'
      DIMENSION FIRST(NT)
      DATA FIRST / 0.0, 0.0, 7.0, 0.3, 0.15, 0.4, 290.0, 3.0, 0.0 /
      DO 30 I = 1, IM
         KMT(I,J) = LEVELS(I, J)
         KMU(I,J) = MIN0(LEVELS(I, J), LEVELS(I+1, J))
         KMV(I,J) = MIN0(LEVELS(I, J), LEVELS(I, J+1))
         H(I,J) = ZW(KMT(I,J)+1)
         HU(I,J) = ZW(KMU(I,J)+1)
         HV(I,J) = ZW(KMV(I,J)+1)
         ETA(I,J) = 0.0
         UB(I,J) = 0.0
         VB(I,J) = 0.0
         FU(I,J) = 0.0
         FV(I,J) = 0.0
         STRESS(I,J) = 0.0
         BEDN(I,J) = 5.0
         BEDS(I,J) = 2000.0
         IF (KMT(I,J) .EQ. 0) BEDN(I,J) = 0.0
         IF (KMT(I,J) .EQ. 0) BEDS(I,J) = 0.0
   30 CONTINUE
      DO 50 K = 1, KM
         DO 40 I = 1, IM
            U(I,K,J) = 0.0
            V(I,K,J) = 0.0
            W(I,K,J) = 0.0
            UN(I,K,J) = 0.0
            VN(I,K,J) = 0.0
            GU(I,K,J) = 0.0
            GV(I,K,J) = 0.0
   40    CONTINUE
   50 CONTINUE
      DO 80 N = 1, NT
         DO 70 K = 1, KM
            DO 60 I = 1, IM
               VALUE = FIRST(N)
               IF (N .EQ. 1) VALUE = TSTART(ZT(K))
               IF (N .EQ. 2) VALUE = SSTART(ZT(K), DBLE(I) / IM)
               IF (N .EQ. 3) VALUE = VALUE + 0.05 * ZT(K)
               IF (K .GT. KMT(I,J)) VALUE = 0.0
               C(I,K,N,J) = VALUE
               CN(I,K,N,J) = VALUE
   60       CONTINUE
   70    CONTINUE
   80 CONTINUE
      RETURN
      END
C
C     TEMPERATURE AND SALINITY OF SPRING AT A DEPTH (M); FRESHER IN THE
C     EAST (X = 1)
C
      FUNCTION TSTART(Z)
      IMPLICIT REAL*8 (A-H, O-Z)
      TSTART = 8.0 + 5.0 / (1.0 + EXP((Z - 14.0) / 3.0))
      RETURN
      ENTRY SSTART(Z, X)
      SSTART = 34.8 - 1.6 * X * EXP(-Z / 12.0)
      RETURN
      END
C
C     ==================================================================
C     WHAT DRIVES THE SEA
C     ==================================================================
C
C     THE TIDE AT THE OPEN BOUNDARY IN ROW J AT A TIME (S): CONSTITUENTS
C     M2, S2, N2, K1 AND O1.  TIDSET CHOOSES THEIR AMPLITUDES FOR A
C     LATITUDE.
C
      FUNCTION TIDE(CLOCK, J)
      INCLUDE 'coast.inc'
      DIMENSION PERIOD(NCONST), AMP(NCONST), PHASE(NCONST),
     &          OMEGA(NCONST), SHARE(NCONST)
      SAVE AMP, OMEGA
      DATA PERIOD / 12.4206, 12.0, 12.6583, 23.9345, 25.8193 /
      DATA SHARE / 0.90, 0.31, 0.17, 0.12, 0.08 /
      DATA PHASE / 0.0, 0.9, 5.6, 2.1, 1.4 /
C     THE WAVE RUNS NORTHWARD ALONG THE COAST AND GROWS IN SIX HOURS
      RAMP = DMIN1(CLOCK / 21600.0, 1.0D0)
      DELAY = (J - 1) * DY / 25.0
      TIDE = 0.0
      DO 10 N = 1, NCONST
         TIDE = TIDE + AMP(N) * COS(OMEGA(N) * (CLOCK - DELAY)
     &                              - PHASE(N))
   10 CONTINUE
      TIDE = RAMP * TIDE
      RETURN
      ENTRY TIDSET(RLAT)
      PI = 4.0 * ATAN(1.0D0)
      DO 20 N = 1, NCONST
         OMEGA(N) = 2.0 * PI / (3600.0 * PERIOD(N))
         AMP(N) = SHARE(N) * COS(RLAT * PI / 180.0)
         IF (N .GT. 3) AMP(N) = SHARE(N) * SIN(2.0 * RLAT * PI / 180.0)
   20 CONTINUE
      TIDSET = AMP(1)
      RETURN
      END
C
C     WIND, AIR AND SUN OF THIS HOUR: A SEA BREEZE AND A STORM THAT
C     PASSES ON THE FIRST DAY
C
      SUBROUTINE WEATHR
      INCLUDE 'coast.inc'
      PI = 4.0 * ATAN(1.0D0)
      HOUR = 8.0 + TIME / 3600.0
      TODAY = DAY + HOUR / 24.0
C     SEASON AND TIME OF DAY AS ANGLES
      SEASON = 2.0 * PI * (TODAY - 81.0) / 365.0
      ANGLE = 2.0 * PI * (HOUR - 6.0) / 24.0
      TAIR = 12.0 + 7.0 * SIN(SEASON - 0.5) + 3.0 * SIN(ANGLE - 0.7)
      CLOUD = 0.3 + 0.6 * EXP(-((HOUR - 10.0) / 5.0)**2)
      BREEZE = 3.0 + 2.0 * SIN(ANGLE - 1.0)
      STORM = 14.0 * EXP(-((HOUR - 10.0) / 4.0)**2)
      TURN = PI * (HOUR - 10.0) / 12.0
      WX = BREEZE + STORM * COS(TURN)
      WY = 1.0 - STORM * SIN(TURN)
      WIND = SQRT(WX * WX + WY * WY)
C     DRAG COEFFICIENT OF LARGE AND POND (1981)
      DRAG = 1.2D-3
      IF (WIND .GT. 11.0) DRAG = (0.49 + 0.065 * WIND) * 1.0D-3
      TAUX = 1.22 * DRAG * WIND * WX
      TAUY = 1.22 * DRAG * WIND * WY
      QAIR = 0.78 * VAPOUR(TAIR)
      SUN = SOLAR(SEASON, HOUR) * (1.0 - 0.62 * CLOUD)
      RETURN
      END
C
C     HUMIDITY OF SATURATION OVER WATER OF A TEMPERATURE (KG/KG)
C
      FUNCTION VAPOUR(TEMP)
      IMPLICIT REAL*8 (A-H, O-Z)
      E = 6.1078 * 10.0**(7.5 * TEMP / (237.3 + TEMP))
      VAPOUR = 0.622 * E / (1013.0 - 0.378 * E)
      RETURN
      END
C
C     RADIATION OF A CLEAR SKY (W/M2)
C
      FUNCTION SOLAR(SEASON, HOUR)
      INCLUDE 'coast.inc'
      DATA SOLCON, CLEAR / 1353.0, 0.72 /
      PI = 4.0 * ATAN(1.0D0)
      DECLIN = 0.4093 * SIN(SEASON)
      RLAT = SLAT * PI / 180.0
      ANGLE = 2.0 * PI * (HOUR - 12.0) / 24.0
      SINE = SIN(RLAT) * SIN(DECLIN)
     &     + COS(RLAT) * COS(DECLIN) * COS(ANGLE)
      IF (SINE) 10, 10, 20
   10 SOLAR = 0.0
      RETURN
   20 SOLAR = SOLCON * SINE * CLEAR**(1.0 / (SINE + 0.15))
      RETURN
      END
C
C     DISCHARGE OF THE RIVERS (M3/S), BETWEEN THE MONTHS OF A TABLE
C
      SUBROUTINE RUNOFF
      INCLUDE 'coast.inc'
      DIMENSION FTAB(12,NRIVER), COLD(12)
      DATA FTAB / 310., 300., 350., 460., 520., 380., 250., 190., 180.,
     &            220., 270., 300.,
     &            120., 115., 140., 210., 240., 160.,  90.,  70.,  65.,
     &             80., 100., 115.,
     &             60.,  58.,  70., 100., 130., 105.,  50.,  35.,  30.,
     &             38.,  48.,  56. /
      DATA COLD / 4., 4., 6., 9., 13., 17., 19., 19., 16., 12., 8., 5. /
      TODAY = DAY + TIME / 86400.0
      PLACE = DMOD(TODAY / 30.4375 + 11.5, 12.0D0)
      M = INT(PLACE) + 1
      MNEXT = MOD(M, 12) + 1
      PART = PLACE - INT(PLACE)
      DO 10 N = 1, NRIVER
         RFLOW(N) = (1.0 - PART) * FTAB(M,N) + PART * FTAB(MNEXT,N)
   10 CONTINUE
      RTEMP = (1.0 - PART) * COLD(M) + PART * COLD(MNEXT)
      RNIT = 60.0
      RETURN
      END
C
C     ==================================================================
C     SLOW PART OF THE MOTION
C     ==================================================================
C
C     VELOCITIES OF ROW J AFTER A STEP WITHOUT THE SLOPE OF THE SURFACE
C
      SUBROUTINE CLINIC(J)
      INCLUDE 'coast.inc'
      CALL STATE(J, 1)
      CALL STATE(J + 1, 2)
      CALL HYDRO(1)
      CALL HYDRO(2)
      CALL RICHAR(J)
      CALL SMAGOR(J)
      CALL UROW(J)
      CALL VROW(J)
      CALL UMIX(J)
      CALL VMIX(J)
      CALL DRIVE(J)
      RETURN
      END
C
C     DENSITY (LESS RHO0) OF ROW J INTO HALF M OF RHO: UNESCO (1981) AT
C     THE PRESSURE OF THE SURFACE
C
      SUBROUTINE STATE(J, M)
      INCLUDE 'coast.inc'
C     PURE WATER, AND WHAT SALT ADDS
      PURE(X) = 999.842594 + X * (6.793952D-2 + X * (-9.095290D-3
     &        + X * (1.001685D-4 + X * (-1.120083D-6
     &        + X * 6.536332D-9))))
      FACT1(X) = 0.824493 + X * (-4.0899D-3 + X * (7.6438D-5
     &         + X * (-8.2467D-7 + X * 5.3875D-9)))
      FACT2(X) = -5.72466D-3 + X * (1.0227D-4 - X * 1.6546D-6)
      DENS(X, Y) = PURE(X) + Y * (FACT1(X) + SQRT(Y) * FACT2(X)
     &           + Y * 4.8314D-4)
      DO 10 K = 1, KM
         DO 10 I = 1, IM
            SALT = DMAX1(C(I,K,2,J), 0.0D0)
            RHO(I,K,M) = DENS(C(I,K,1,J), SALT) - RHO0
            IF (K .GT. KMT(I,J)) RHO(I,K,M) = 0.0
   10 CONTINUE
      RETURN
      END
C
C     PRESSURE OF WHAT LIES ABOVE, DIVIDED BY RHO0, IN HALF M
C
      SUBROUTINE HYDRO(M)
      INCLUDE 'coast.inc'
      DO 10 I = 1, IM
         PRS(I,1,M) = GRAV * RHO(I,1,M) * 0.5 * DZ(1) / RHO0
   10 CONTINUE
      DO 20 K = 2, KM
         HALF1 = 0.5 * DZ(K-1) * GRAV / RHO0
         HALF2 = 0.5 * DZ(K) * GRAV / RHO0
         DO 20 I = 1, IM
            PRS(I,K,M) = PRS(I,K-1,M) + HALF1 * RHO(I,K-1,M)
     &                                + HALF2 * RHO(I,K,M)
   20 CONTINUE
      RETURN
      END
C
C     VISCOSITY AND DIFFUSIVITY BETWEEN LEVELS K-1 AND K OF ROW J FROM
C     THE RICHARDSON NUMBER; NOTHING AT SURFACE AND SEABED
C
      SUBROUTINE RICHAR(J)
      INCLUDE 'coast.inc'
      DATA ALPHA / 5.0 /
      DO 20 K = 2, KM
         DIST = ZT(K) - ZT(K-1)
         DO 10 I = 2, IM
            DU = 0.5 * (U(I,K-1,J) + U(I-1,K-1,J)
     &                - U(I,K,J) - U(I-1,K,J))
            DV = 0.5 * (V(I,K-1,J) + V(I,K-1,J-1)
     &                - V(I,K,J) - V(I,K,J-1))
            SHEAR2 = (DU * DU + DV * DV) / DIST**2 + 1.0D-10
            BRUNT2 = GRAV * (RHO(I,K,1) - RHO(I,K-1,1)) / (RHO0 * DIST)
            RI = DMAX1(BRUNT2, 0.0D0) / SHEAR2
            SPEED = 1.0 / (1.0 + ALPHA * RI)
            AV(I,K) = AVMIN + AVMAX * SPEED**2
            CV(I,K) = CVMIN + AV(I,K) * SPEED
            IF (BRUNT2 .LT. 0.0) CV(I,K) = 10.0 * AVMAX
            IF (K .LE. KMT(I,J)) GO TO 10
            AV(I,K) = 0.0
            CV(I,K) = 0.0
   10    CONTINUE
         AV(1,K) = AV(2,K)
         CV(1,K) = CV(2,K)
   20 CONTINUE
      RETURN
      END
C
C     TENDENCY OF U IN ROW J.  ADVECTION FROM UPSTREAM, THE EARTH'S
C     ROTATION, PRESSURE, FRICTION BETWEEN COLUMNS AND ROWS.
C
      SUBROUTINE UROW(J)
      INCLUDE 'coast.inc'
C     WHAT A CURRENT CARRIES: FROM BEHIND OR FROM AHEAD
      UPSTR(S, BACK, AHEAD) = DMAX1(S, 0.0D0) * BACK
     &                      + DMIN1(S, 0.0D0) * AHEAD
      DO 20 K = 1, KM
         KA = MAX0(K - 1, 1)
         KB = MIN0(K + 1, KM)
         DO 10 I = 2, IM - 1
            UC = U(I,K,J)
            VC = 0.25 * (V(I,K,J) + V(I+1,K,J)
     &                 + V(I,K,J-1) + V(I+1,K,J-1))
            WC = 0.25 * (W(I,K,J) + W(I+1,K,J)
     &                 + W(I,KB,J) + W(I+1,KB,J))
            ADV = UPSTR(UC, UC - U(I-1,K,J), U(I+1,K,J) - UC) / DX
     &          + UPSTR(VC, UC - U(I,K,J-1), U(I,K,J+1) - UC) / DY
     &          + UPSTR(WC, UC - U(I,KB,J), U(I,KA,J) - UC) / DZ(K)
            VISC = (U(I+1,K,J) - 2.0 * UC + U(I-1,K,J)) / DX**2
     &           + (U(I,K,J+1) - 2.0 * UC + U(I,K,J-1)) / DY**2
            PUSH = (PRS(I,K,1) - PRS(I+1,K,1)) / DX
            G = PUSH - ADV + FCOR(J) * VC + VIS(I,K) * VISC
            IF (K .GT. KMU(I,J)) G = 0.0
            UN(I,K,J) = UC + DT * (G + AB * 0.5 * (G - GU(I,K,J)))
            GU(I,K,J) = G
   10    CONTINUE
C        THE OPEN BOUNDARY HAS THE VELOCITY NEXT TO IT
         UN(1,K,J) = UN(2,K,J)
         IF (K .GT. KMU(1,J)) UN(1,K,J) = 0.0
   20 CONTINUE
      RETURN
      END
C
C     THE SAME OF V
C
      SUBROUTINE VROW(J)
      INCLUDE 'coast.inc'
      UPSTR(S, BACK, AHEAD) = DMAX1(S, 0.0D0) * BACK
     &                      + DMIN1(S, 0.0D0) * AHEAD
      FMEAN = 0.5 * (FCOR(J) + FCOR(J+1))
      DO 20 K = 1, KM
         KA = MAX0(K - 1, 1)
         KB = MIN0(K + 1, KM)
         DO 10 I = 2, IM - 1
            VC = V(I,K,J)
            UC = 0.25 * (U(I,K,J) + U(I-1,K,J)
     &                 + U(I,K,J+1) + U(I-1,K,J+1))
            WC = 0.25 * (W(I,K,J) + W(I,K,J+1)
     &                 + W(I,KB,J) + W(I,KB,J+1))
            ADV = UPSTR(UC, VC - V(I-1,K,J), V(I+1,K,J) - VC) / DX
     &          + UPSTR(VC, VC - V(I,K,J-1), V(I,K,J+1) - VC) / DY
     &          + UPSTR(WC, VC - V(I,KB,J), V(I,KA,J) - VC) / DZ(K)
            VISC = (V(I+1,K,J) - 2.0 * VC + V(I-1,K,J)) / DX**2
     &           + (V(I,K,J+1) - 2.0 * VC + V(I,K,J-1)) / DY**2
            PUSH = (PRS(I,K,1) - PRS(I,K,2)) / DY
            G = PUSH - ADV - FMEAN * UC + VIS(I,K) * VISC
            IF (K .GT. KMV(I,J)) G = 0.0
            VN(I,K,J) = VC + DT * (G + AB * 0.5 * (G - GV(I,K,J)))
            GV(I,K,J) = G
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     FRICTION BETWEEN THE LEVELS, WIND AND SEABED: IMPLICIT IN TIME.
C     UMIX TAKES U OF ROW J, VMIX TAKES V.
C
      SUBROUTINE UMIX(J)
      INCLUDE 'coast.inc'
      CALL COEFF(KMU(1,J))
      DO 10 I = 1, IM
         KB = KMU(I,J)
         IF (KB .EQ. 0) GO TO 10
         TD(I,1) = DT * TAUX / (RHO0 * DZ(1))
         SPEED = ABS(U(I,KB,J))
         TB(I,KB) = TB(I,KB) + DT * CDBOT * (SPEED + 0.05) / DZ(KB)
   10 CONTINUE
      DO 20 K = 1, KM
         DO 20 I = 1, IM
            TD(I,K) = TD(I,K) + UN(I,K,J)
   20 CONTINUE
      CALL TRIDIA
      DO 30 K = 1, KM
         DO 30 I = 1, IM
            UN(I,K,J) = TD(I,K)
   30 CONTINUE
      RETURN
      END
C
      SUBROUTINE VMIX(J)
      INCLUDE 'coast.inc'
      CALL COEFF(KMV(1,J))
      DO 10 I = 1, IM
         KB = KMV(I,J)
         IF (KB .EQ. 0) GO TO 10
         TD(I,1) = DT * TAUY / (RHO0 * DZ(1))
         SPEED = ABS(V(I,KB,J))
         TB(I,KB) = TB(I,KB) + DT * CDBOT * (SPEED + 0.05) / DZ(KB)
   10 CONTINUE
      DO 20 K = 1, KM
         DO 20 I = 1, IM
            TD(I,K) = TD(I,K) + VN(I,K,J)
   20 CONTINUE
      CALL TRIDIA
      DO 30 K = 1, KM
         DO 30 I = 1, IM
            VN(I,K,J) = TD(I,K)
   30 CONTINUE
      RETURN
      END
C
C     THE THREE DIAGONALS FOR MIXING BY AV IN COLUMNS OF KB(I) LEVELS
C
      SUBROUTINE COEFF(KB)
      INCLUDE 'coast.inc'
      DIMENSION KB(IM)
      DO 20 K = 1, KM
         DO 10 I = 1, IM
            ABOVE = 0.0
            BELOW = 0.0
            IF (K .GT. 1 .AND. K .LE. KB(I))
     &         ABOVE = DT * AV(I,K) / (DZ(K) * (ZT(K) - ZT(K-1)))
            IF (K .LT. KB(I))
     &         BELOW = DT * AV(I,K+1) / (DZ(K) * (ZT(K+1) - ZT(K)))
            TA(I,K) = -ABOVE
            TB(I,K) = 1.0 + ABOVE + BELOW
            TC(I,K) = -BELOW
            TD(I,K) = 0.0
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     SOLVES TA X(K-1) + TB X(K) + TC X(K+1) = TD IN ALL COLUMNS OF A
C     ROW.  X TAKES THE PLACE OF TD.
C
      SUBROUTINE TRIDIA
      INCLUDE 'coast.inc'
      DO 10 K = 2, KM
         DO 10 I = 1, IM
            FACTOR = TA(I,K) / TB(I,K-1)
            TB(I,K) = TB(I,K) - FACTOR * TC(I,K-1)
            TD(I,K) = TD(I,K) - FACTOR * TD(I,K-1)
   10 CONTINUE
      DO 20 I = 1, IM
         TD(I,KM) = TD(I,KM) / TB(I,KM)
   20 CONTINUE
      DO 30 K = KM - 1, 1, -1
         DO 30 I = 1, IM
            TD(I,K) = (TD(I,K) - TC(I,K) * TD(I,K+1)) / TB(I,K)
   30 CONTINUE
      RETURN
      END
C
C     WHAT THE SLOW PART GIVES THE TRANSPORTS OF ROW J IN EACH SECOND
C
      SUBROUTINE DRIVE(J)
      INCLUDE 'coast.inc'
      DO 20 I = 1, IM
         SUMU = 0.0
         SUMV = 0.0
         DO 10 K = 1, KMU(I,J)
            SUMU = SUMU + UN(I,K,J) * DZ(K)
   10    CONTINUE
         DO 15 K = 1, KMV(I,J)
            SUMV = SUMV + VN(I,K,J) * DZ(K)
   15    CONTINUE
         FU(I,J) = (SUMU - UB(I,J)) / DT
         FV(I,J) = (SUMV - VB(I,J)) / DT
   20 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     FAST WAVES
C     ==================================================================
C
C     TRANSPORTS OF ROW J DOWN THE SLOPE OF THE SURFACE, AND AWAY FROM
C     HIGH PRESSURE OF THE AIR
C
      SUBROUTINE BTROPM(J, CLOCK)
      INCLUDE 'coast.inc'
      DIMENSION AIRP(IM,2)
      GX = GRAV * DTB / DX
      GY = GRAV * DTB / DY
      Y = (J - 0.5) * DY
      DO 5 I = 1, IM
         AIRP(I,1) = BAROM((I - 0.5) * DX, Y, CLOCK)
         AIRP(I,2) = BAROM((I - 0.5) * DX, Y + DY, CLOCK)
    5 CONTINUE
      DO 10 I = 1, IM - 1
         RISEX = ETA(I+1,J) - ETA(I,J) + AIRP(I+1,1) - AIRP(I,1)
         RISEY = ETA(I,J+1) - ETA(I,J) + AIRP(I,2) - AIRP(I,1)
         UB(I,J) = UB(I,J) + DTB * FU(I,J) - GX * HU(I,J) * RISEX
         VB(I,J) = VB(I,J) + DTB * FV(I,J) - GY * HV(I,J) * RISEY
   10 CONTINUE
      RETURN
      END
C
C     SURFACE OF ROW J WHERE THE TRANSPORTS MEET; THE TIDE AT THE OPEN
C     BOUNDARY, AND THE RIVERS
C
      SUBROUTINE BTROPC(J, CLOCK)
      INCLUDE 'coast.inc'
      DO 10 I = 2, IM - 1
         ETA(I,J) = ETA(I,J) - DTB * ((UB(I,J) - UB(I-1,J)) / DX
     &                              + (VB(I,J) - VB(I,J-1)) / DY)
   10 CONTINUE
      IF (KMT(1,J) .GT. 0) ETA(1,J) = TIDE(CLOCK, J)
      DO 20 N = 1, NRIVER
         IF (JRIV(N) .NE. J) GO TO 20
         M = MOUTH(IRIV(N), J)
         ETA(M,J) = ETA(M,J) + DTB * RFLOW(N) / (DX * DY)
   20 CONTINUE
      RETURN
      END
C
C     THE WET COLUMN OF ROW J NEAREST TO COLUMN I ON ITS WEST
C
      FUNCTION MOUTH(I, J)
      INCLUDE 'coast.inc'
      M = I
   10 IF (KMT(M,J) .GT. 0 .OR. M .EQ. 2) GO TO 20
      M = M - 1
      GO TO 10
   20 MOUTH = M
      RETURN
      END
C
C     VELOCITIES OF ROW J, CHANGED ALIKE IN ALL LEVELS SO THAT TOGETHER
C     THEY CARRY THE TRANSPORT
C
      SUBROUTINE CORECT(J)
      INCLUDE 'coast.inc'
      DO 40 I = 1, IM
         SUMU = 0.0
         SUMV = 0.0
         DO 10 K = 1, KMU(I,J)
            SUMU = SUMU + UN(I,K,J) * DZ(K)
   10    CONTINUE
         DO 20 K = 1, KMV(I,J)
            SUMV = SUMV + VN(I,K,J) * DZ(K)
   20    CONTINUE
         ADDU = (UB(I,J) - SUMU) / DMAX1(HU(I,J), 1.0D0)
         ADDV = (VB(I,J) - SUMV) / DMAX1(HV(I,J), 1.0D0)
         DO 30 K = 1, KM
            U(I,K,J) = 0.0
            V(I,K,J) = 0.0
            IF (K .LE. KMU(I,J)) U(I,K,J) = UN(I,K,J) + ADDU
            IF (K .LE. KMV(I,J)) V(I,K,J) = VN(I,K,J) + ADDV
   30    CONTINUE
   40 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     WHAT THE WATER CARRIES
C     ==================================================================
C
C     ALL TRACERS OF ROW J AFTER A STEP, INTO CN
C
      SUBROUTINE TRACER(J)
      INCLUDE 'coast.inc'
      CALL WROW(J)
      CALL WAVES(J)
      CALL SEABED(J)
      CALL SURFAC(J)
      CALL LIGHT(J)
      CALL PLANKT(J)
      CALL OXYGEN(J)
      CALL BACTER(J)
      CALL RIVERS(J)
      CALL OUTFAL(J)
      DO 10 N = 1, NT
         CALL ADVECT(J, N)
         CALL SINK(J, N)
         CALL MIX(J, N)
   10 CONTINUE
      CALL CONVEC(J)
      RETURN
      END
C
C     VERTICAL VELOCITY AT THE TOP OF EACH CELL OF ROW J, FROM THE
C     SEABED UP: WHAT COMES IN AT THE SIDES GOES OUT AT THE TOP
C
      SUBROUTINE WROW(J)
      INCLUDE 'coast.inc'
      DO 10 I = 1, IM
         FLZ(I,KM+1) = 0.0
   10 CONTINUE
      DO 30 K = KM, 1, -1
         DO 20 I = 2, IM - 1
            OUT = (U(I,K,J) - U(I-1,K,J)) / DX
     &          + (V(I,K,J) - V(I,K,J-1)) / DY
            FLZ(I,K) = FLZ(I,K+1) - DZ(K) * OUT
            IF (K .GT. KMT(I,J)) FLZ(I,K) = 0.0
            W(I,K,J) = FLZ(I,K)
   20    CONTINUE
         W(1,K,J) = W(2,K,J)
         IF (KMT(1,J) .LT. K) W(1,K,J) = 0.0
   30 CONTINUE
      RETURN
      END
C
C     WHAT THE CURRENT BRINGS OF TRACER N TO ROW J.  THE FACE OF A CELL
C     PASSES THE MEAN OF BOTH SIDES, LESS A PART OF THEIR DIFFERENCE
C     THAT KEEPS NEW EXTREMES SMALL (GAMMA = 1: FROM UPSTREAM ALONE).
C
      SUBROUTINE ADVECT(J, N)
      INCLUDE 'coast.inc'
      DATA GAMMA / 0.8 /
C     THROUGH A FACE WITH THE SPEED S FROM THE CELL X TO THE CELL Y, OF
C     CELLS D APART, WITH THE DIFFUSIVITY A
      FACE(S, X, Y, A, D) = 0.5 * S * (X + Y)
     &              - (0.5 * GAMMA * ABS(S) + A / D) * (Y - X)
      DO 60 K = 1, KM
C        EAST
         DO 10 I = 1, IM - 1
            FLX(I,K) = FACE(U(I,K,J), C(I,K,N,J), C(I+1,K,N,J), CH, DX)
            IF (K .GT. KMU(I,J)) FLX(I,K) = 0.0
   10    CONTINUE
C        SOUTH AND NORTH
         DO 20 I = 2, IM - 1
            FLY(I,K,1) = FACE(V(I,K,J-1), C(I,K,N,J-1), C(I,K,N,J),
     &                        CH, DY)
            IF (K .GT. KMV(I,J-1)) FLY(I,K,1) = 0.0
   20    CONTINUE
         DO 30 I = 2, IM - 1
            FLY(I,K,2) = FACE(V(I,K,J), C(I,K,N,J), C(I,K,N,J+1),
     &                        CH, DY)
            IF (K .GT. KMV(I,J)) FLY(I,K,2) = 0.0
   30    CONTINUE
C        TOP: NOTHING IS LOST AT THE SURFACE, BUT WITH ITS MOTION
         IF (K .GT. 1) GO TO 45
         DO 40 I = 2, IM - 1
            FLZ(I,1) = W(I,1,J) * C(I,1,N,J)
   40    CONTINUE
         GO TO 60
   45    DO 50 I = 2, IM - 1
            FLZ(I,K) = FACE(W(I,K,J), C(I,K,N,J), C(I,K-1,N,J),
     &                      0.0D0, 1.0D0)
            IF (K .GT. KMT(I,J)) FLZ(I,K) = 0.0
   50    CONTINUE
   60 CONTINUE
      DO 70 I = 2, IM - 1
         FLZ(I,KM+1) = 0.0
   70 CONTINUE
      DO 90 K = 1, KM
         DO 80 I = 2, IM - 1
            GAIN = (FLX(I-1,K) - FLX(I,K)) / DX
     &           + (FLY(I,K,1) - FLY(I,K,2)) / DY
     &           + (FLZ(I,K+1) - FLZ(I,K)) / DZ(K)
            IF (K .GT. KMT(I,J)) GAIN = 0.0
            CN(I,K,N,J) = C(I,K,N,J) + DT * (GAIN + SRC(I,K,N))
   80    CONTINUE
   90 CONTINUE
      CALL OCEAN(J, N)
      RETURN
      END
C
C     THE OPEN BOUNDARY: THE OCEAN COMES IN WITH THE FLOOD, THE BAY GOES
C     OUT WITH THE EBB
C
      SUBROUTINE OCEAN(J, N)
      INCLUDE 'coast.inc'
      DIMENSION OUTER(NT)
      DATA OUTER / 0., 0., 8.0, 0.2, 0.1, 0.2, 285.0, 1.0, 0.0 /
      DO 10 K = 1, KMT(1,J)
         FAR = OUTER(N)
         IF (N .EQ. 1) FAR = TSTART(ZT(K))
         IF (N .EQ. 2) FAR = SSTART(ZT(K), 0.0D0)
         IF (N .EQ. 3) FAR = FAR + 0.05 * ZT(K)
         SPEED = ABS(U(1,K,J)) * DT / DX
         IF (U(1,K,J) .GT. 0.0) CN(1,K,N,J) = C(1,K,N,J)
     &      + (SPEED + 0.02) * (FAR - C(1,K,N,J))
         IF (U(1,K,J) .LE. 0.0) CN(1,K,N,J) = C(1,K,N,J)
     &      + SPEED * (C(2,K,N,J) - C(1,K,N,J))
   10 CONTINUE
      RETURN
      END
C
C     MIXING OF TRACER N BETWEEN THE LEVELS OF ROW J: IMPLICIT IN TIME.
C     THE FIRST TRACER FINDS THE DIFFUSIVITY OF THE ROW FOR ALL.
C
      SUBROUTINE MIX(J, N)
      INCLUDE 'coast.inc'
      IF (N - 1) 30, 10, 30
   10 CALL STATE(J, 1)
      CALL RICHAR(J)
      DO 20 K = 1, KM
         DO 20 I = 1, IM
            AV(I,K) = CV(I,K)
   20 CONTINUE
   30 CALL COEFF(KMT(1,J))
      DO 40 K = 1, KM
         DO 40 I = 1, IM
            TD(I,K) = CN(I,K,N,J)
   40 CONTINUE
      CALL TRIDIA
      DO 50 K = 1, KM
         DO 50 I = 1, IM
            CN(I,K,N,J) = TD(I,K)
            IF (N .GT. 2) CN(I,K,N,J) = DMAX1(TD(I,K), 0.0D0)
   50 CONTINUE
      RETURN
      END
C
C     WHAT SINKS: PLANKTON, DETRITUS AND SEDIMENT, WITH THE SPEED OF
C     EACH.  WHAT REACHES THE SEABED STAYS THERE.
C
      SUBROUTINE SINK(J, N)
      INCLUDE 'coast.inc'
      GO TO (60, 60, 60, 10, 60, 20, 60, 30, 60), N
   10 SPEED = SINKP / 86400.0
      GO TO 40
   20 SPEED = SINKD / 86400.0
      GO TO 40
   30 SPEED = WSET
   40 DO 50 I = 2, IM - 1
         CARRY = 0.0
         DO 45 K = 1, KMT(I,J)
            DROP = DMIN1(SPEED * DT / DZ(K), 1.0D0) * CN(I,K,N,J)
            CN(I,K,N,J) = CN(I,K,N,J) - DROP + CARRY / DZ(K)
            CARRY = DROP * DZ(K)
   45    CONTINUE
         IF (N .EQ. 8) BEDS(I,J) = BEDS(I,J) + CARRY
         IF (N .NE. 8) BEDN(I,J) = BEDN(I,J) + CARRY
   50 CONTINUE
   60 RETURN
      END
C
C     COLUMNS OF ROW J THAT ARE HEAVIER ABOVE THAN BELOW TURN OVER: TWO
C     LEVELS AT A TIME ARE MIXED, UNTIL ALL ARE STABLE
C
      SUBROUTINE CONVEC(J)
      INCLUDE 'coast.inc'
      LOGICAL AGAIN
C     DENSITY NEAR 10 DEGREES AND 35 PPT: ENOUGH TO COMPARE NEIGHBOURS
      WEIGHT(X, Y) = -0.07 * X - 0.0055 * X * X + 0.78 * Y
      DO 40 I = 2, IM - 1
         DO 20 NPASS = 1, KM
            AGAIN = .FALSE.
            DO 10 K = 2, KMT(I,J)
               UPPER = WEIGHT(CN(I,K-1,1,J), CN(I,K-1,2,J))
               BELOW = WEIGHT(CN(I,K,1,J), CN(I,K,2,J))
               IF (UPPER - BELOW - 1.0D-9) 10, 10, 5
    5          CALL UPSET(J, I, K)
               AGAIN = .TRUE.
   10       CONTINUE
            IF (.NOT. AGAIN) GO TO 40
   20    CONTINUE
   40 CONTINUE
      RETURN
      END
C
C     LEVELS K-1 AND K OF A COLUMN BECOME ONE WATER
C
      SUBROUTINE UPSET(J, I, K)
      INCLUDE 'coast.inc'
      UPPER = DZ(K-1) / (DZ(K-1) + DZ(K))
      DO 10 N = 1, NT
         BOTH = UPPER * CN(I,K-1,N,J) + (1.0 - UPPER) * CN(I,K,N,J)
         CN(I,K-1,N,J) = BOTH
         CN(I,K,N,J) = BOTH
   10 CONTINUE
      RETURN
      END
C
C     THE NEW TRACERS OF ROW J TAKE THE PLACE OF THE OLD
C
      SUBROUTINE RENEW(J)
      INCLUDE 'coast.inc'
      DO 10 N = 1, NT
         DO 10 K = 1, KM
            DO 10 I = 1, IM
               C(I,K,N,J) = CN(I,K,N,J)
   10 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     WAVES AND SEABED
C     ==================================================================
C
C     HEIGHT AND PERIOD OF THE WAVES THAT THE WIND MAKES ON ROW J, AFTER
C     SVERDRUP, MUNK AND BRETSCHNEIDER (SHORE PROTECTION MANUAL, 1984).
C     THE FETCH IS THE WATER UPWIND IN THE ROW, 60 KM AT LEAST FROM THE
C     OCEAN.
C
      SUBROUTINE WAVES(J)
      INCLUDE 'coast.inc'
      DATA OPEN / 6.0D4 /
      SPEED = DMAX1(WIND, 1.0D0)
      IF (WX) 30, 10, 10
C     WIND FROM THE OCEAN
   10 FETCH = OPEN
      DO 20 I = 1, IM
         IF (KMT(I,J) .EQ. 0) FETCH = 0.0
         FETCH = FETCH + DX
         CALL SMB(SPEED, FETCH, H(I,J), WAVEH(I), WAVET(I))
   20 CONTINUE
      RETURN
C     WIND FROM THE LAND
   30 FETCH = 0.0
      DO 40 I = IM, 1, -1
         IF (KMT(I,J) .EQ. 0) FETCH = 0.0
         FETCH = FETCH + DX
         CALL SMB(SPEED, FETCH, H(I,J), WAVEH(I), WAVET(I))
   40 CONTINUE
      RETURN
      END
C
C     HEIGHT (M) AND PERIOD (S) OF WAVES FOR A WIND (M/S), A FETCH AND
C     A DEPTH (M)
C
      SUBROUTINE SMB(SPEED, FETCH, D, HEIGHT, PERIOD)
      IMPLICIT REAL*8 (A-H, O-Z)
      PARAMETER (G = 9.81D0)
      HEIGHT = 0.0
      PERIOD = 1.0
      IF (D .LE. 0.0) RETURN
      UA = 0.71 * SPEED**1.23
      RELD = G * D / UA**2
      RELF = G * FETCH / UA**2
      BOUND = TANH(0.530 * RELD**0.75)
      HEIGHT = 0.283 * UA**2 / G * BOUND
     &       * TANH(0.00565 * SQRT(RELF) / BOUND)
      BOUND = TANH(0.833 * RELD**0.375)
      PERIOD = 7.54 * UA / G * BOUND
     &       * TANH(0.0379 * RELF**(1.0D0/3.0D0) / BOUND)
      PERIOD = DMAX1(PERIOD, 1.0D0)
      RETURN
      END
C
C     WAVE NUMBER OF A WAVE OF A PERIOD IN A DEPTH: NEWTON'S METHOD FOR
C     OMEGA**2 = G K TANH(K D)
C
      FUNCTION WAVENO(PERIOD, D)
      IMPLICIT REAL*8 (A-H, O-Z)
      PARAMETER (G = 9.81D0)
      OMEGA = 8.0 * ATAN(1.0D0) / PERIOD
      DEEP = OMEGA**2 * D / G
      X = DMAX1(DEEP, SQRT(DEEP))
      DO 10 N = 1, 20
         T = TANH(X)
         CHANGE = (X * T - DEEP) / (T + X * (1.0 - T * T))
         X = X - CHANGE
         IF (ABS(CHANGE) - 1.0D-10 * X) 20, 20, 10
   10 CONTINUE
   20 WAVENO = X / D
      RETURN
      END
C
C     STRESS OF CURRENT AND WAVES ON THE SEABED OF ROW J, WHAT IT STIRS
C     UP, AND NITRATE FROM WHAT ROTS THERE
C
      SUBROUTINE SEABED(J)
      INCLUDE 'coast.inc'
      PI = 4.0 * ATAN(1.0D0)
      DO 20 N = 1, NT
         DO 20 K = 1, KM
            DO 20 I = 1, IM
               SRC(I,K,N) = 0.0
   20 CONTINUE
      DO 40 I = 2, IM - 1
         KB = KMT(I,J)
         IF (KB .EQ. 0) GO TO 40
         UC = 0.5 * (U(I,KB,J) + U(I-1,KB,J))
         VC = 0.5 * (V(I,KB,J) + V(I,KB,J-1))
         FLOWS = RHO0 * CDBOT * (UC * UC + VC * VC)
         RK = WAVENO(WAVET(I), H(I,J))
         ORBIT = PI * WAVEH(I) / (WAVET(I) * SINH(DMIN1(RK * H(I,J),
     &                                                 20.0D0)))
         ROLLS = 0.5 * RHO0 * 0.02 * ORBIT * ORBIT
         STRESS(I,J) = FLOWS + ROLLS
         EXCESS = STRESS(I,J) / TAUCR - 1.0
         IF (EXCESS) 30, 30, 25
   25    STIR = DMIN1(EROD * EXCESS, BEDS(I,J) / DT)
         BEDS(I,J) = BEDS(I,J) - STIR * DT
         SRC(I,KB,8) = STIR / DZ(KB)
   30    ROT = 0.01 / 86400.0 * BEDN(I,J)
         BEDN(I,J) = BEDN(I,J) - ROT * DT
         SRC(I,KB,3) = ROT / DZ(KB)
         SRC(I,KB,7) = -RATIO * ROT / DZ(KB)
   40 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     SURFACE AND SHORE
C     ==================================================================
C
C     HEAT OF ROW J THROUGH THE SURFACE: SUN, SKY, EVAPORATION AND AIR.
C     OXYGEN GOES TOWARD SATURATION, FASTER WITH THE WIND.
C
      SUBROUTINE SURFAC(J)
      INCLUDE 'coast.inc'
      DATA SIGMA, EVAP / 5.67D-8, 2.47D6 /
C     OXYGEN OF SATURATION (MMOL/M3), AND SCHMIDT'S NUMBER
      SATUR(X, Y) = 456.0 - 10.6 * X + 0.125 * X * X - 2.1 * Y
      SCHMID(X) = 1638.0 - 81.83 * X + 1.483 * X * X
      DO 10 I = 2, IM - 1
         IF (KMT(I,J) .EQ. 0) GO TO 10
         SST = C(I,1,1,J)
         SKY = 0.97 * SIGMA * (SST + 273.15)**4
     &       * (0.39 - 0.05 * SQRT(QAIR * 1600.0))
     &       * (1.0 - 0.6 * CLOUD * CLOUD)
         HUMID = 0.98 * VAPOUR(SST)
         WET = 1.22 * EVAP * 1.3D-3 * WIND * (HUMID - QAIR)
         DRY = 1.22 * 1004.0 * 1.1D-3 * WIND * (SST - TAIR)
         HEAT(I) = -SKY - WET - DRY
         SRC(I,1,1) = HEAT(I) / (RHO0 * CP * DZ(1))
         SRC(I,1,2) = C(I,1,2,J) * WET / (EVAP * RHO0 * DZ(1))
         PISTON = 0.31 * WIND * WIND * SQRT(660.0 / SCHMID(SST))
     &          / 3.6D5
         SRC(I,1,7) = SRC(I,1,7) + PISTON
     &      * (SATUR(SST, C(I,1,2,J)) - C(I,1,7,J)) / DZ(1)
   10 CONTINUE
      RETURN
      END
C
C     COLD, FRESH AND FERTILE: THE RIVERS OF ROW J
C
      SUBROUTINE RIVERS(J)
      INCLUDE 'coast.inc'
      DIMENSION BRINGS(NT)
      DATA BRINGS / 0., 0., 0., 0.5, 0.0, 4.0, 300.0, 60.0, 20.0 /
      DO 20 N = 1, NRIVER
         IF (JRIV(N) .NE. J) GO TO 20
         I = MOUTH(IRIV(N), J)
         RATE = RFLOW(N) / (DX * DY * DZ(1))
         DO 10 M = 1, NT
            X = BRINGS(M)
            IF (M .EQ. 1) X = RTEMP
            IF (M .EQ. 3) X = RNIT
            SRC(I,1,M) = SRC(I,1,M) + RATE * (X - C(I,1,M,J))
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     THE SEWAGE OUTFALL ON THE SEABED, IF IT IS IN ROW J: BACTERIA
C     (10**6/S) AND NITRATE (MMOL/S), BY THE HOURS OF THE DAY
C
      SUBROUTINE OUTFAL(J)
      INCLUDE 'coast.inc'
      DIMENSION HOURLY(24)
      DATA HOURLY / 5*0.6, 0.8, 1.1, 1.5, 1.6, 1.4, 3*1.2, 4*1.0,
     &              3*1.2, 1.1, 1.0, 0.8, 0.7 /
      IF (J .NE. JOUTF) RETURN
      NOW = MOD(INT(TIME / 3600.0), 24) + 1
      I = MOUTH(IOUTF, J)
      K = MAX0(KMT(I,J), 1)
      VOLUME = DX * DY * DZ(K)
      SRC(I,K,9) = SRC(I,K,9) + OUTCOL * HOURLY(NOW) * 1.0D3 / VOLUME
      SRC(I,K,3) = SRC(I,K,3) + OUTNIT * HOURLY(NOW) / VOLUME
      RETURN
      END
C
C     ==================================================================
C     LIFE
C     ==================================================================
C
C     LIGHT IN THE MIDDLE OF EACH CELL OF ROW J (W/M2): HALF OF THE
C     SUN'S, LESS WHAT WATER, PLANKTON AND SEDIMENT TAKE AWAY.  WHAT IS
C     TAKEN WARMS THE WATER; THE RED HALF WARMS THE FIRST LEVEL.
C
      SUBROUTINE LIGHT(J)
      INCLUDE 'coast.inc'
      DIMENSION TOP(IM)
      DO 10 I = 1, IM
         TOP(I) = 0.5 * 0.94 * SUN
         IF (KMT(I,J) .GT. 0) SRC(I,1,1) = SRC(I,1,1)
     &                      + 0.5 * 0.94 * SUN / (RHO0 * CP * DZ(1))
   10 CONTINUE
      DO 30 K = 1, KM
         DO 20 I = 1, IM
            DARK = 0.06 + 0.03 * C(I,K,4,J) + 0.02 * C(I,K,8,J)
     &           + 0.01 * C(I,K,6,J)
            PAR(I,K) = TOP(I) * EXP(-0.5 * DARK * DZ(K))
            BELOW = TOP(I) * EXP(-DARK * DZ(K))
            IF (K .EQ. KMT(I,J)) BELOW = 0.0
            IF (K .LE. KMT(I,J)) SRC(I,K,1) = SRC(I,K,1)
     &         + (TOP(I) - BELOW) / (RHO0 * CP * DZ(K))
            TOP(I) = BELOW
   20    CONTINUE
   30 CONTINUE
      RETURN
      END
C
C     NITRATE, PLANTS, ANIMALS AND DETRITUS OF ROW J, IN MMOL N/(M3 S)
C
      SUBROUTINE PLANKT(J)
      INCLUDE 'coast.inc'
      DATA DAYS / 86400.0 /
C     EPPLEY (1972): GROWTH BY TEMPERATURE; SMITH (1936): BY LIGHT
      WARM(X) = 1.066**X
      SMITH(X) = ALIGHT * X / SQRT(1.0 + (ALIGHT * X)**2)
      DO 20 K = 1, KM
         DO 10 I = 2, IM - 1
            IF (K .GT. KMT(I,J)) GO TO 10
            TEMP = C(I,K,1,J)
            RNITR = C(I,K,3,J)
            PHY = C(I,K,4,J)
            ZOO = C(I,K,5,J)
            DET = C(I,K,6,J)
            FOOD = RNITR / (HALFN + RNITR)
            GROW = PMAX * WARM(TEMP - 15.0) * FOOD * SMITH(PAR(I,K))
     &           * PHY / DAYS
            EAT = GRAZE * PHY * PHY / (HALFP**2 + PHY * PHY)
     &          * ZOO / DAYS
            DIE = DEATH * PHY / DAYS
            STARVE = (0.05 + 0.15 * ZOO) * ZOO / DAYS
            TURNED = REMIN * WARM(TEMP - 10.0) * DET / DAYS
            SRC(I,K,3) = SRC(I,K,3) - GROW + TURNED + 0.2 * EAT
            SRC(I,K,4) = SRC(I,K,4) + GROW - EAT - DIE
            SRC(I,K,5) = SRC(I,K,5) + 0.5 * EAT - STARVE
            SRC(I,K,6) = SRC(I,K,6) + 0.3 * EAT + DIE + STARVE - TURNED
            SRC(I,K,7) = SRC(I,K,7)
     &                 + RATIO * (GROW - TURNED - 0.2 * EAT)
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     OXYGEN THAT SEDIMENT TAKES UP IN ROW J; NONE IS TAKEN WHERE LITTLE
C     IS LEFT
C
      SUBROUTINE OXYGEN(J)
      INCLUDE 'coast.inc'
      DO 20 K = 1, KM
         DO 10 I = 2, IM - 1
            OX = C(I,K,7,J)
            TAKE = 0.02 / 86400.0 * C(I,K,8,J)
            SRC(I,K,7) = SRC(I,K,7) - TAKE
            IF (SRC(I,K,7) .LT. 0.0)
     &         SRC(I,K,7) = SRC(I,K,7) * OX / (OX + 10.0)
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     BACTERIA OF ROW J DIE IN SALT, WARMTH AND LIGHT (MANCINI, 1978)
C
      SUBROUTINE BACTER(J)
      INCLUDE 'coast.inc'
      DO 20 K = 1, KM
         DO 10 I = 2, IM - 1
            RATE = (0.8 + 0.006 * (C(I,K,2,J) / 0.35))
     &           * 1.07**(C(I,K,1,J) - 20.0) + 0.086 * PAR(I,K)
            SRC(I,K,9) = SRC(I,K,9) - RATE / 86400.0 * C(I,K,9,J)
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     ==================================================================
C     ACROSS THE BAY, AND OVER IT
C     ==================================================================
C
C     WHAT PASSES THE SECTIONS AT COLUMNS ISEC, EASTWARD: WATER (M3/S),
C     HEAT (W), SALT (KG/S), NITRATE (MMOL/S), AND THE WATER OF THE
C     FLOOD AND OF THE EBB ALONE
C
      SUBROUTINE SECTS(J)
      INCLUDE 'coast.inc'
      DO 20 M = 1, NSECT
         I = ISEC(M)
         DO 10 K = 1, KMU(I,J)
            FLUX = U(I,K,J) * DY * DZ(K)
            TEMP = 0.5 * (C(I,K,1,J) + C(I+1,K,1,J))
            SALT = 0.5 * (C(I,K,2,J) + C(I+1,K,2,J))
            RNITR = 0.5 * (C(I,K,3,J) + C(I+1,K,3,J))
            THROUG(1,M) = THROUG(1,M) + FLUX
            THROUG(2,M) = THROUG(2,M) + FLUX * TEMP * RHO0 * CP
            THROUG(3,M) = THROUG(3,M) + FLUX * SALT * RHO0 * 1.0D-3
            THROUG(4,M) = THROUG(4,M) + FLUX * RNITR
            IF (FLUX) 5, 10, 8
    5       THROUG(6,M) = THROUG(6,M) + FLUX
            GO TO 10
    8       THROUG(5,M) = THROUG(5,M) + FLUX
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     ROW J OF THE MAP OF THE MIXED LAYER: HOW MANY LEVELS ARE WITHIN
C     HALF A DEGREE OF THE SURFACE.  THE SUM OF THEIR THICKNESS GOES
C     INTO SUMS(17), WEIGHTED BY AREA.
C
      SUBROUTINE MIXED(J)
      INCLUDE 'coast.inc'
      DO 30 I = 2, IM - 1
         IF (KMT(I,J) .EQ. 0) GO TO 30
         DO 10 K = 2, KMT(I,J)
            IF (ABS(C(I,K,1,J) - C(I,1,1,J)) .GT. 0.5) GO TO 20
   10    CONTINUE
         K = KMT(I,J) + 1
   20    MAPMIX(I,J) = K - 1
         SUMS(17) = SUMS(17) + DX * DY * ZW(K)
   30 CONTINUE
      RETURN
      END
C
C     VISCOSITY OF ROW J BY THE DEFORMATION OF THE CURRENT: SMAGORINSKY
C     (1963), BETWEEN AH / 2 AND 3 AH
C
      SUBROUTINE SMAGOR(J)
      INCLUDE 'coast.inc'
      DATA CSMAG / 0.12 /
      DO 20 K = 1, KM
         DO 10 I = 2, IM - 1
            DUDX = (U(I,K,J) - U(I-1,K,J)) / DX
            DVDY = (V(I,K,J) - V(I,K,J-1)) / DY
            DUDY = 0.25 * (U(I,K,J+1) + U(I-1,K,J+1)
     &                   - U(I,K,J-1) - U(I-1,K,J-1)) / DY
            DVDX = 0.25 * (V(I+1,K,J) + V(I+1,K,J-1)
     &                   - V(I-1,K,J) - V(I-1,K,J-1)) / DX
            DEFORM = SQRT((DUDX - DVDY)**2 + (DUDY + DVDX)**2)
            VIS(I,K) = CSMAG * DX * DY * DEFORM
            VIS(I,K) = DMIN1(DMAX1(VIS(I,K), 0.5 * AH), 3.0 * AH)
   10    CONTINUE
         VIS(1,K) = VIS(2,K)
         VIS(IM,K) = VIS(IM-1,K)
   20 CONTINUE
      RETURN
      END
C
C     THE PRESSURE OF THE AIR AS METRES OF WATER, AT A PLACE (M EAST AND
C     NORTH OF THE CORNER) AND A TIME: A LOW OF 30 HPA CROSSES THE BAY
C     AND LIFTS THE SEA
C
      FUNCTION BAROM(X, Y, CLOCK)
      INCLUDE 'coast.inc'
      DATA DEEP, RADIUS, SPEED, BEGIN / 0.30, 6.0D4, 12.0, -6.0D4 /
      XC = BEGIN + SPEED * CLOCK
      YC = 0.4 * JM * DY
      BAROM = -DEEP * EXP(-((X - XC)**2 + (Y - YC)**2) / RADIUS**2)
      RETURN
      END
C
C     CARBON DIOXIDE OF THE SURFACE (MICROATMOSPHERES) AND ITS PH, OF
C     TEMPERATURE, SALINITY AND NITRATE: ALKALINITY GOES WITH THE SALT,
C     CARBON WITH THE NITRATE.  NEWTON'S METHOD FOR THE HYDROGEN IONS,
C     CONSTANTS OF MEHRBACH (1973) AND WEISS (1974).
C
      SUBROUTINE CARBON(TEMP, SALT, RNITR, PCO2, PH)
      IMPLICIT REAL*8 (A-H, O-Z)
      TK = TEMP + 273.15
      PK1 = 3670.7 / TK - 62.008 + 9.7944 * LOG(TK) - 0.0118 * SALT
     &    + 0.000116 * SALT**2
      PK2 = 1394.7 / TK + 4.777 - 0.0184 * SALT + 0.000118 * SALT**2
      AK1 = 10.0**(-PK1)
      AK2 = 10.0**(-PK2)
      SOLUB = EXP(-60.2409 + 9345.17 / TK + 23.3585 * LOG(TK / 100.0)
     &      + SALT * (0.023517 - 0.023656 * TK / 100.0
     &              + 0.0047036 * (TK / 100.0)**2))
      ALK = 2.30D-3 * SALT / 35.0
      DIC = 1.94D-3 * SALT / 35.0 + 6.6D-6 * RNITR
      HYDRO = 1.0D-8
      DO 20 N = 1, 30
         DENOM = HYDRO**2 + AK1 * HYDRO + AK1 * AK2
         TOP = AK1 * HYDRO + 2.0 * AK1 * AK2
         ERROR = DIC * TOP / DENOM - ALK
         SLOPE = DIC * (AK1 * DENOM - TOP * (2.0 * HYDRO + AK1))
     &         / DENOM**2
         CHANGE = ERROR / SLOPE
C        NEVER BELOW A THIRD OF THE LAST
         IF (CHANGE - 0.66 * HYDRO) 15, 15, 10
   10    CHANGE = 0.66 * HYDRO
   15    HYDRO = HYDRO - CHANGE
         IF (ABS(CHANGE) .LT. 1.0D-9 * HYDRO) GO TO 30
   20 CONTINUE
   30 PCO2 = 1.0D6 * DIC / SOLUB
     &     / (1.0 + AK1 / HYDRO + AK1 * AK2 / HYDRO**2)
      PH = -LOG10(HYDRO)
      RETURN
      END
C
C     CARBON OF THE SURFACE IN ROW J: SUMS BY AREA, AND WHAT THE WIND
C     TAKES UP (WANNINKHOF'S FORM, MMOL/S)
C
      SUBROUTINE AIRCO2(J)
      INCLUDE 'coast.inc'
      DATA OUTSID / 346.0 /
      DO 10 I = 2, IM - 1
         IF (KMT(I,J) .EQ. 0) GO TO 10
         CALL CARBON(C(I,1,1,J), C(I,1,2,J), C(I,1,3,J), PCO2, PH)
         COCEAN(1) = COCEAN(1) + DX * DY * PCO2
         COCEAN(2) = COCEAN(2) + DX * DY * PH
         TAKEUP = 0.31 * WIND * WIND / 3.6D5 * 0.035 * (OUTSID - PCO2)
         COCEAN(3) = COCEAN(3) + DX * DY * TAKEUP
   10 CONTINUE
      RETURN
      END
C
C     THE SPEED OF SOUND (M/S): MACKENZIE (1981)
C
      FUNCTION SOUND(TEMP, SALT, D)
      IMPLICIT REAL*8 (A-H, O-Z)
      SOUND = 1448.96 + 4.591 * TEMP - 5.304D-2 * TEMP**2
     &      + 2.374D-4 * TEMP**3 + 1.340 * (SALT - 35.0) + 1.630D-2 * D
     &      + 1.675D-7 * D**2 - 1.025D-2 * TEMP * (SALT - 35.0)
     &      - 7.139D-13 * TEMP * D**3
      RETURN
      END
C
C     SECTIONS, CARBON AND SOUND ON PAPER
C
      SUBROUTINE PASSED
      INCLUDE 'coast.inc'
      WRITE (6, 900)
      DO 10 M = 1, NSECT
         WRITE (6, 910) ISEC(M), (THROUG(N,M), N = 1, 6)
   10 CONTINUE
      WRITE (6, 920) COCEAN(1) / SUMS(15), COCEAN(2) / SUMS(15),
     &               COCEAN(3)
      WRITE (6, 930) SUMS(17) / SUMS(15)
      DO 20 K = 1, KM
         TEMP = PROF(K,1) / DMAX1(COUNT(K), 1.0D0)
         SALT = PROF(K,2) / DMAX1(COUNT(K), 1.0D0)
         WRITE (6, 940) ZT(K), SOUND(TEMP, SALT, ZT(K))
   20 CONTINUE
      RETURN
  900 FORMAT (1H , 20HSECTION       WATER , 20H      HEAT       SAL,
     &        20HT     NITRATE     FL, 9HOOD   EBB)
  910 FORMAT (1H , I7, 1P, 6E12.4)
  920 FORMAT (1H , 9HCARBON   , F9.2, 9H UATM  PH, F8.4,
     &        8H  TAKES , 1P, E13.5, 7H MMOL/S)
  930 FORMAT (1H , 12HMIXED LAYER , F9.3, 2H M)
  940 FORMAT (1H , 12HSOUND AT    , F8.2, 2H M, F10.3, 4H M/S)
      END
C
C     HOW DEEP THE MIXED LAYER REACHES, IN LEVELS
C
      SUBROUTINE PLOTMX
      INCLUDE 'coast.inc'
      CHARACTER*1 DIGIT(0:9), LINE(IM)
      DATA DIGIT / '.', '1', '2', '3', '4', '5', '6', '7', '8', '9' /
      WRITE (6, 900)
      DO 20 J = JM, 1, -2
         DO 10 I = 1, IM
            LINE(I) = DIGIT(MIN0(MAPMIX(I,J), 9))
   10    CONTINUE
         WRITE (6, 910) J, LINE
   20 CONTINUE
      RETURN
  900 FORMAT (1H , 19HLEVELS THAT ARE ONE)
  910 FORMAT (1H , I4, 3X, 200A1)
      END
C
C     ==================================================================
C     THE SEA AS A WHOLE
C     ==================================================================
C
C     NOTHING IS KNOWN YET
C
      SUBROUTINE CLEAR
      INCLUDE 'coast.inc'
      DO 10 N = 1, NSUMS
         SUMS(N) = 0.0
   10 CONTINUE
      DO 20 N = 1, 4
         PEAK(N) = 0.0
   20 CONTINUE
      DO 30 K = 1, KM
         COUNT(K) = 0.0
         DO 30 N = 1, NT
            PROF(K,N) = 0.0
   30 CONTINUE
      DO 40 N = 1, NGAUGE
         GAUGE(N) = 0.0
   40 CONTINUE
      DO 50 J = 1, JM
         DO 50 I = 1, IM
            MAP(I,J) = 0
            MAPMIX(I,J) = 0
   50 CONTINUE
      DO 60 M = 1, NSECT
         DO 60 N = 1, 6
            THROUG(N,M) = 0.0
   60 CONTINUE
      DO 70 N = 1, 3
         COCEAN(N) = 0.0
   70 CONTINUE
      KCHECK = 0
      RETURN
      END
C
C     WHAT ROW J ADDS
C
      SUBROUTINE SUMROW(J)
      INCLUDE 'coast.inc'
      CALL ENERGY(J)
      CALL STOCKS(J)
      CALL BATHER(J)
      CALL STAFFS(J)
      CALL MAPROW(J)
      CALL SECTS(J)
      CALL MIXED(J)
      CALL AIRCO2(J)
      CALL CHECK(J)
      RETURN
      END
C
C     VOLUME (M3) AND ENERGY (J) OF ROW J; HIGHEST SPEED AND ELEVATION
C
      SUBROUTINE ENERGY(J)
      INCLUDE 'coast.inc'
      AREA = DX * DY
      DO 20 I = 2, IM - 1
         IF (KMT(I,J) .EQ. 0) GO TO 20
         SUMS(1) = SUMS(1) + AREA * (H(I,J) + ETA(I,J))
         SUMS(3) = SUMS(3) + 0.5 * AREA * GRAV * RHO0 * ETA(I,J)**2
         SUMS(15) = SUMS(15) + AREA
         SUMS(16) = SUMS(16) + AREA * ETA(I,J)
         PEAK(2) = DMAX1(PEAK(2), ABS(ETA(I,J)))
         PEAK(3) = DMAX1(PEAK(3), STRESS(I,J))
         DO 10 K = 1, KMT(I,J)
            UC = 0.5 * (U(I,K,J) + U(I-1,K,J))
            SPEED2 = UC * UC + V(I,K,J)**2
            SUMS(2) = SUMS(2) + 0.5 * AREA * DZ(K) * RHO0 * SPEED2
            PEAK(1) = DMAX1(PEAK(1), SQRT(SPEED2))
   10    CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     CONTENT OF ALL TRACERS, AND THEIR SUM LEVEL BY LEVEL
C
      SUBROUTINE STOCKS(J)
      INCLUDE 'coast.inc'
      AREA = DX * DY
      DO 30 I = 2, IM - 1
         DO 20 K = 1, KMT(I,J)
            COUNT(K) = COUNT(K) + 1.0
            DO 10 N = 1, NT
               SUMS(N+3) = SUMS(N+3) + AREA * DZ(K) * C(I,K,N,J)
               PROF(K,N) = PROF(K,N) + C(I,K,N,J)
   10       CONTINUE
            IF (C(I,K,7,J) .LT. 200.0)
     &         SUMS(18) = SUMS(18) + AREA * DZ(K)
   20    CONTINUE
         SUMS(13) = SUMS(13) + AREA * BEDN(I,J)
         SUMS(14) = SUMS(14) + AREA * BEDS(I,J)
   30 CONTINUE
      RETURN
      END
C
C     SHORE OF ROW J WHERE NOBODY SHOULD BATHE: THE LEVEL ABOVE LAND
C     WITH MORE THAN 5 BACTERIA IN A MILLILITRE (KM2)
C
      SUBROUTINE BATHER(J)
      INCLUDE 'coast.inc'
      DO 10 I = 2, IM - 1
         IF (KMT(I,J) .EQ. 0) GO TO 10
         PEAK(4) = DMAX1(PEAK(4), C(I,1,9,J))
         IF (KMT(I+1,J) .NE. 0 .AND. KMT(I-1,J) .NE. 0) GO TO 10
         IF (C(I,1,9,J) .GT. 5.0) SUMS(19) = SUMS(19) + DX * DY * 1.D-6
   10 CONTINUE
      RETURN
      END
C
C     WHAT THE TIDE STAFFS IN ROW J READ
C
      SUBROUTINE STAFFS(J)
      INCLUDE 'coast.inc'
      DO 10 N = 1, NGAUGE
         IF (JGA(N) .NE. J) GO TO 10
         GAUGE(N) = GAUGE(N) + ETA(IGA(N),J)
   10 CONTINUE
      RETURN
      END
C
C     ROW J OF THE MAP: 0 LAND, ELSE TEMPERATURE OF THE SURFACE IN
C     STEPS OF A QUARTER OF A DEGREE ABOVE 11
C
      SUBROUTINE MAPROW(J)
      INCLUDE 'coast.inc'
      DO 10 I = 1, IM
         IF (KMT(I,J) .EQ. 0) GO TO 10
         LEVEL = INT(4.0 * (C(I,1,1,J) - 11.0))
         MAP(I,J) = MIN0(MAX0(LEVEL, 0), 25) + 1
   10 CONTINUE
      RETURN
      END
C
C     THE BITS OF ROW J, AS A NUMBER THAT DOES NOT DEPEND ON THE ORDER
C     OF ROWS
C
      SUBROUTINE CHECK(J)
      INCLUDE 'coast.inc'
      PARAMETER (LARGE = 1000003)
      KROW = 0
      DO 30 I = 1, IM
         KROW = MOD(KROW + KBITS(ETA(I,J)), LARGE)
         KROW = MOD(KROW + KBITS(BEDN(I,J) + BEDS(I,J)), LARGE)
         DO 20 K = 1, KM
            KROW = MOD(KROW + KBITS(U(I,K,J)) + KBITS(V(I,K,J))
     &                      + 3 * KBITS(W(I,K,J)), LARGE)
            DO 10 N = 1, NT
               KROW = MOD(KROW + N * KBITS(C(I,K,N,J)), LARGE)
   10       CONTINUE
   20    CONTINUE
   30 CONTINUE
      KCHECK = KCHECK + KROW
      RETURN
      END
C
C     BOTH HALVES OF A NUMBER AS INTEGERS, FOLDED; -0 IS 0
C
      FUNCTION KBITS(X)
      IMPLICIT REAL*8 (A-H, O-Z)
      DIMENSION NHALF(2)
      EQUIVALENCE (COPY, NHALF(1))
      COPY = X + 0.0
      KBITS = MOD(NHALF(1), 9973) + MOD(NHALF(2), 9967)
      RETURN
      END
C
C     ==================================================================
C     ON PAPER
C     ==================================================================
C
C     WHAT SURVEY FOUND
C
      SUBROUTINE REPORT
      INCLUDE 'coast.inc'
      IF (ISTEP .EQ. 0) CALL TITLE
      CALL HEADER
      CALL BUDGET
      CALL TABLE
      CALL PLOT
      CALL PASSED
      CALL PLOTMX
      IF (ISTEP .GE. NSTEP) CALL CLOSE
      RETURN
      END
C
      SUBROUTINE TITLE
      INCLUDE 'coast.inc'
      WRITE (6, 900)
      WRITE (6, 910) IM, KM, JM, DX / 1000.0, DT, NSUB
      WRITE (6, 920) (K, ZW(K), ZW(K+1), K = 1, KM)
      WRITE (6, 930) AH, CH, CDBOT
      DO 10 N = 1, NRIVER
         WRITE (6, 940) N, IRIV(N), JRIV(N), RFLOW(N), RTEMP
   10 CONTINUE
      RETURN
  900 FORMAT (1H1, 5X, 5HCOAST, 3X, 32HTIDES, WIND, STRATIFICATION AND ,
     &        17HPLANKTON OF A BAY /)
  910 FORMAT (1H , 9HGRID     , 3I6, 6H CELLS, F8.2, 3H KM, F8.1,
     &        11H SECONDS IN, I4, 6H PARTS)
  920 FORMAT (1H , 9HLEVEL    , I3, 6H  FROM, F7.1, 4H  TO, F7.1, 2H M)
  930 FORMAT (1H , 9HFRICTION , 1P, 3E12.3)
  940 FORMAT (1H , 5HRIVER, I2, 4H  AT, 2I5, F9.1, 5H M3/S, F7.1,
     &        6H DEG C)
      END
C
C     TIME, WEATHER AND TIDE STAFFS
C
      SUBROUTINE HEADER
      INCLUDE 'coast.inc'
      NDAY = INT(DAY + TIME / 86400.0)
      NHOUR = INT(DMOD(TIME, 86400.0D0) / 3600.0)
      NMIN = INT(DMOD(TIME, 3600.0D0) / 60.0)
      WRITE (6, 900) ISTEP, NDAY, NHOUR, NMIN
      WRITE (6, 910) WX, WY, TAIR, CLOUD, SUN
      WRITE (6, 920) (N, GAUGE(N), N = 1, NGAUGE)
      RETURN
  900 FORMAT (1H0, 4HSTEP, I6, 6H   DAY, I5, 2X, I2, 1H., I2.2)
  910 FORMAT (1H , 9HWEATHER  , 2F8.2, 4H M/S, F8.2, 6H DEG C, F8.2,
     &        F8.1, 5H W/M2)
  920 FORMAT (1H , 9HSTAFFS   , 4(I4, F9.4, 2H M))
      END
C
C     WHAT THE BAY HOLDS, AND HOW FAST IT MOVES
C
      SUBROUTINE BUDGET
      INCLUDE 'coast.inc'
      DIMENSION TITLES(NT)
      DATA TITLES / 8HHEAT    , 8HSALT    , 8HNITRATE , 8HPLANTS  ,
     &              8HANIMALS , 8HDETRITUS, 8HOXYGEN  , 8HSEDIMENT,
     &              8HBACTERIA /
      WRITE (6, 900) SUMS(1), SUMS(2), SUMS(3)
      WRITE (6, 910) PEAK
      WRITE (6, 920) (TITLES(N), SUMS(N+3), SUMS(N+3) / SUMS(1),
     &                N = 1, NT)
      TOTAL = SUMS(6) + SUMS(7) + SUMS(8) + SUMS(9) + SUMS(13)
      WRITE (6, 930) TOTAL, SUMS(13), SUMS(14)
      WRITE (6, 940) SUMS(16) / SUMS(15), SUMS(18), SUMS(19)
      RETURN
  900 FORMAT (1H , 9HVOLUME   , 1P, E14.6, 10H M3 ENERGY, 2E14.6, 2H J)
  910 FORMAT (1H , 9HPEAKS    , F10.4, 4H M/S, F10.4, 2H M, F10.4,
     &        5H N/M2, F12.4, 5H 1/ML)
  920 FORMAT (1H , A8, 1X, 1P, E14.6, E16.6)
  930 FORMAT (1H , 9HNITROGEN , 1P, E14.6, 8H OF BED , E14.6,
     &        9H SEDIMENT, E14.6)
  940 FORMAT (1H , 9HMEAN ETA , F9.5, 13H M  LOW OXYGE, 1HN, 1P, E13.5,
     &        13H M3  CLOSED  , 0P, F8.2, 4H KM2)
      END
C
C     MEANS OF EACH LEVEL
C
      SUBROUTINE TABLE
      INCLUDE 'coast.inc'
      DIMENSION X(NT), FULL(NT+1)
      EQUIVALENCE (X(1), FULL(2))
      WRITE (6, 900)
      DO 20 K = 1, KM
         FULL(1) = ZT(K)
         DO 10 N = 1, NT
            X(N) = PROF(K,N) / DMAX1(COUNT(K), 1.0D0)
   10    CONTINUE
         WRITE (6, 910) FULL
   20 CONTINUE
      RETURN
  900 FORMAT (1H , 20H   DEPTH    TEMP    , 20HSALT     NO3     PHY,
     &        20H     ZOO     DET    , 18H OXY     SED   BAC)
  910 FORMAT (1H , F8.2, 2F8.3, 4F8.4, F8.2, F8.3, F8.4)
      END
C
C     THE MAP OF THE SURFACE, NORTH ABOVE, EVERY SECOND ROW
C
      SUBROUTINE PLOT
      INCLUDE 'coast.inc'
      CHARACTER*1 MARK(0:26), LINE(IM)
      CHARACTER*(IM) TEXT
      EQUIVALENCE (TEXT, LINE(1))
      DATA MARK / '.', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I',
     &            'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S',
     &            'T', 'U', 'V', 'W', 'X', 'Y', 'Z' /
      DO 20 J = JM, 1, -2
         DO 10 I = 1, IM
            LINE(I) = MARK(MAP(I,J))
   10    CONTINUE
         WRITE (6, 900) J, TEXT
   20 CONTINUE
      RETURN
  900 FORMAT (1H , I4, 3X, A)
      END
C
C     THE LAST LINE: IT SHOWS WHETHER ANY BIT DIFFERS FROM ANOTHER RUN'S
C
      SUBROUTINE CLOSE
      INCLUDE 'coast.inc'
      WRITE (6, 900) TIME / 3600.0, KCHECK
      RETURN
  900 FORMAT (1H0, 9HEND AFTER, F8.2, 6H HOURS, 12H  CHECK SUM , I10)
      END
