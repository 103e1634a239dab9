(* Numbers that the ledger prints, certified by interval arithmetic inside the kernel: the tuned line at D = 1, e = 0.3,
   delta = 1e-6, to every printed digit (B17, E11); one Poisson clock for two coordinates (N02): from time 1 to time 2, at
   frequency (1, 1), the characteristic function is that of time 1 times exp of the integral of (2/u)(phi_u^2 - 1), and
   not phi_2^2 = 1/25. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Open Scope R_scope.

Definition slope (l e D : R) : R := (sqrt (l * l + l * e) - l) / D.
Definition intercept (l a : R) : R := l / (2 * a).
Definition best_time (l e D : R) : R := D * D / (2 * ((sqrt (l + e) - sqrt l) * (sqrt (l + e) - sqrt l))).
Definition millionth : R := ln 1000000.    (* log(1/delta) at delta = 1e-6 *)

Theorem printed_slope : Rabs (slope millionth 0.3 1 - 0.149194420824630) <= 5e-16.
Proof. unfold slope, millionth. interval with (i_prec 100). Qed.

Theorem printed_intercept : Rabs (intercept millionth (slope millionth 0.3 1) - 46.3003592279220) <= 5e-14.
Proof. unfold intercept, slope, millionth. interval with (i_prec 100). Qed.

Theorem printed_time : Rabs (best_time millionth 0.3 1 - 310.335728186146) <= 5e-13.
Proof. unfold best_time, millionth. interval with (i_prec 100). Qed.

Definition characteristic (frequency scale : R) : R := / (1 + frequency ^ 2 * scale ^ 2).
Definition shared_clock : R :=
  characteristic 1 1 ^ 2 * exp (RInt (fun u => 2 / u * (characteristic 1 u ^ 2 - 1)) 1 2).

Theorem shared_clock_value : Rabs (shared_clock - 0.074082) <= 1e-6.
Proof. unfold shared_clock, characteristic. integral with (i_prec 60). Qed.

Theorem shared_clock_is_not_laplace : shared_clock <> characteristic 1 2 ^ 2.
Proof. apply Rgt_not_eq. unfold shared_clock, characteristic. integral with (i_prec 60). Qed.
