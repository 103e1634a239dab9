(* From events to privacy. A probability is any functional with the few rules of its record: no measure theory is used.
   A bound for all looks at once holds at any index, however chosen (B10, B11, B12); failure probabilities and bounds of
   two mechanisms add up (E13); probabilistic privacy implies differential privacy, and not the other way (P03). *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Section Events.
Variable sample : Type.
Record probability := {
  P :> (sample -> Prop) -> R;
  P_monotone : forall A B : sample -> Prop, (forall o, A o -> B o) -> P A <= P B;
  P_union : forall A B : sample -> Prop, P (fun o => A o \/ B o) <= P A + P B }.

(* `loss n o` and `bound n o` at look n of the outcome o; the index N may depend on everything, the future included *)
Theorem bound_at_any_index : forall (p : probability) (loss bound : nat -> sample -> R) (N : sample -> nat) delta,
  p (fun o => exists n, bound n o <= loss n o) <= delta -> p (fun o => bound (N o) o <= loss (N o) o) <= delta.
Proof.
  intros p loss bound N delta H. eapply Rle_trans; [|exact H]. apply P_monotone. intros o Ho. exists (N o). exact Ho.
Qed.

(* where the loss reaches psi only if the path reaches the curve, looks at any random times fail no more often *)
Theorem looks_of_a_path : forall (p : probability) (path loss : R -> sample -> R) (curve psi : R -> R)
  (time : nat -> sample -> R) delta,
  (forall t o, 0 < t -> psi t <= loss t o -> curve t <= path t o) -> (forall n o, 0 < time n o) ->
  p (fun o => exists t, 0 < t /\ curve t <= path t o) <= delta ->
  p (fun o => exists n, psi (time n o) <= loss (time n o) o) <= delta.
Proof.
  intros p path loss curve psi time delta Hc Ht H. eapply Rle_trans; [|exact H]. apply P_monotone.
  intros o [n Hn]. exists (time n o). split; [apply Ht | apply Hc; [apply Ht | exact Hn]].
Qed.

Theorem composition : forall (p : probability) (loss1 loss2 bound1 bound2 : sample -> R) delta1 delta2,
  p (fun o => bound1 o < loss1 o) <= delta1 -> p (fun o => bound2 o < loss2 o) <= delta2 ->
  p (fun o => bound1 o + bound2 o < loss1 o + loss2 o) <= delta1 + delta2.
Proof.
  intros p loss1 loss2 bound1 bound2 delta1 delta2 H1 H2.
  eapply Rle_trans; [|apply Rplus_le_compat; [exact H1 | exact H2]].
  eapply Rle_trans; [|apply P_union]. apply P_monotone. intros o Ho.
  destruct (Rlt_or_le (bound1 o) (loss1 o)) as [H|H]; [left; exact H | right; lra].
Qed.
End Events.

(* Wrong variants, refuted by a fair coin: its outcomes true and false have probability 1/2 each. *)
Definition indicator (A : Prop) : R := if ClassicalDedekindReals.sig_not_dec A then 1 else 0.

Lemma indicator_true : forall A : Prop, A -> indicator A = 1.
Proof. intros A H. unfold indicator. destruct (ClassicalDedekindReals.sig_not_dec A); [reflexivity | contradiction]. Qed.

Lemma indicator_false : forall A : Prop, ~ A -> indicator A = 0.
Proof. intros A H. unfold indicator. destruct (ClassicalDedekindReals.sig_not_dec A); [contradiction | reflexivity]. Qed.

Definition half_each (A : bool -> Prop) : R := (indicator (A true) + indicator (A false)) / 2.

Lemma half_each_monotone : forall A B : bool -> Prop, (forall o, A o -> B o) -> half_each A <= half_each B.
Proof.
  intros A B H. pose proof (H true). pose proof (H false). unfold half_each, indicator.
  repeat destruct (ClassicalDedekindReals.sig_not_dec _); try lra; tauto.
Qed.

Lemma half_each_union : forall A B : bool -> Prop, half_each (fun o => A o \/ B o) <= half_each A + half_each B.
Proof.
  intros A B. unfold half_each, indicator. repeat destruct (ClassicalDedekindReals.sig_not_dec _); try lra; tauto.
Qed.

Definition fair_coin : probability bool :=
  {| P := half_each; P_monotone := half_each_monotone; P_union := half_each_union |}.

Theorem first_look_is_not_enough :
  ~ (forall (p : probability bool) (loss bound : nat -> bool -> R) (N : bool -> nat) delta,
      p (fun o => bound O o <= loss O o) <= delta -> p (fun o => bound (N o) o <= loss (N o) o) <= delta).
Proof.
  intro H. specialize (H fair_coin (fun n _ => INR n) (fun _ _ => 1) (fun _ => 1%nat) 0). simpl in H. unfold half_each in H.
  rewrite (indicator_false (1 <= 0)), (indicator_true (1 <= 1)) in H by lra. lra.
Qed.

Theorem larger_delta_is_not_enough :
  ~ (forall (p : probability bool) (loss1 loss2 bound1 bound2 : bool -> R) delta1 delta2,
      p (fun o => bound1 o < loss1 o) <= delta1 -> p (fun o => bound2 o < loss2 o) <= delta2 ->
      p (fun o => bound1 o + bound2 o < loss1 o + loss2 o) <= Rmax delta1 delta2).
Proof.
  intro H. specialize (H fair_coin (fun o => if o then 1 else 0) (fun o => if o then 0 else 1) (fun _ => 0) (fun _ => 0)
    (/ 2) (/ 2)). simpl in H. unfold half_each in H. rewrite Rmax_left in H by lra.
  rewrite (indicator_true (0 < 1)), (indicator_false (0 < 0)) in H by lra.
  rewrite (indicator_true (0 + 0 < 1 + 0)), (indicator_true (0 + 0 < 0 + 1)) in H by lra. lra.
Qed.

(* An integral: additive and homogeneous where it is finite, monotone below that; no measure is constructed. Of a function
   between 0 and an integrable one it is the upper integral, so that nothing need be measurable. *)
Section Densities.
Variable sample : Type.
Record integration := {
  I :> (sample -> R) -> R;
  integrable : (sample -> R) -> Prop;
  I_zero : integrable (fun _ => 0);
  I_monotone : forall f g, integrable g -> (forall o, 0 <= f o <= g o) -> 0 <= I f <= I g;
  I_additive : forall f g, integrable f -> integrable g ->
    integrable (fun o => f o + g o) /\ I (fun o => f o + g o) = I f + I g;
  I_homogeneous : forall c f, 0 <= c -> integrable f ->
    integrable (fun o => c * f o) /\ I (fun o => c * f o) = c * I f }.

Definition exceeds (e : R) (p q : sample -> R) (o : sample) : R := if Rle_dec (p o) (exp e * q o) then 0 else 1.

(* P(L > e) <= delta, with densities p and q: then every test A, also a randomised one, gains at most delta *)
Theorem probabilistic_privacy : forall (m : integration) p q e delta A,
  (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> (forall o, 0 <= A o <= 1) ->
  integrable m (fun o => p o * exceeds e p q o) -> integrable m (fun o => q o * A o) ->
  m (fun o => p o * exceeds e p q o) <= delta ->
  m (fun o => p o * A o) <= exp e * m (fun o => q o * A o) + delta.
Proof.
  intros m p q e delta A Hp Hq HA Hx Ha H. pose proof (exp_pos e) as He.
  destruct (I_homogeneous m (exp e) _ (Rlt_le _ _ He) Ha) as [Hs <-].
  eapply Rle_trans; [|apply Rplus_le_compat_l; exact H]. destruct (I_additive m _ _ Hs Hx) as [Hi <-].
  apply I_monotone; [exact Hi|]. intro o. specialize (Hp o). specialize (Hq o). specialize (HA o). unfold exceeds.
  split; [apply Rmult_le_pos; lra|]. destruct (Rle_dec (p o) (exp e * q o)) as [Hl|Hl].
  - rewrite Rmult_0_r, Rplus_0_r, <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  - assert (0 <= exp e * (q o * A o)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
    assert (p o * A o <= p o * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Densities.

Definition point (sample : Type) (o : sample) : integration sample :=
  {| I := fun f => f o; integrable := fun _ => True; I_zero := Logic.I; I_monotone := fun f g _ H => H o;
     I_additive := fun f g _ _ => conj Logic.I eq_refl; I_homogeneous := fun c f _ _ => conj Logic.I eq_refl |}.

Definition both (f : bool -> R) : R := f true + f false.

Lemma both_monotone : forall f g, True -> (forall o, 0 <= f o <= g o) -> 0 <= both f <= both g.
Proof. intros f g _ H. pose proof (H true). pose proof (H false). unfold both. lra. Qed.

Lemma both_additive : forall f g, True -> True -> True /\ both (fun o => f o + g o) = both f + both g.
Proof. intros. unfold both. split; [exact Logic.I | ring]. Qed.

Lemma both_homogeneous : forall c f, 0 <= c -> True -> True /\ both (fun o => c * f o) = c * both f.
Proof. intros. unfold both. split; [exact Logic.I | ring]. Qed.

Definition two_points : integration bool :=
  {| I := both; integrable := fun _ => True; I_zero := Logic.I; I_monotone := both_monotone; I_additive := both_additive;
     I_homogeneous := both_homogeneous |}.

(* (e, delta)-privacy at e = 0 with delta = 1/4, where P(L > e) = 3/4 *)
Theorem converse_fails : exists (m : integration bool) p q e delta,
  (forall o, 0 <= p o) /\ (forall o, 0 <= q o) /\ m p = 1 /\ m q = 1 /\
  (forall A, (forall o, 0 <= A o <= 1) -> m (fun o => p o * A o) <= exp e * m (fun o => q o * A o) + delta) /\
  delta < m (fun o => p o * exceeds bool e p q o).
Proof.
  exists two_points, (fun o : bool => if o then 3 / 4 else / 4), (fun _ => / 2), 0, (/ 4). simpl. unfold both, exceeds.
  rewrite exp_0. split; [intros []; lra|]. split; [intros; lra|]. split; [lra|]. split; [lra|]. split.
  - intros A HA. pose proof (HA true). pose proof (HA false). lra.
  - destruct (Rle_dec (3 / 4) (1 * / 2)), (Rle_dec (/ 4) (1 * / 2)); lra.
Qed.

Theorem factor_is_needed :
  ~ (forall (m : integration unit) p q e delta A,
      (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> (forall o, 0 <= A o <= 1) ->
      integrable unit m (fun o => p o * exceeds unit e p q o) -> integrable unit m (fun o => q o * A o) ->
      m (fun o => p o * exceeds unit e p q o) <= delta -> m (fun o => p o * A o) <= m (fun o => q o * A o) + delta).
Proof.
  intro H. specialize (H (point unit tt) (fun _ => exp 1) (fun _ => 1) 1 0 (fun _ => 1)). simpl in H. unfold exceeds in H.
  pose proof (exp_ineq1 1 ltac:(lra)). destruct (Rle_dec (exp 1) (exp 1 * 1)); [|lra].
  enough (exp 1 * 1 <= 1 * 1 + 0) by (clear H; lra). apply H; solve [intros; lra | exact Logic.I].
Qed.
