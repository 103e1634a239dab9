"""Privacy boundaries ψ: bounds on the loss that hold at every look at once (the paper's ex-post guarantee, B07-B19).

With noise W_t and sensitivity D the loss at a look t is at most L_t = D²/(2t) + (D/t)W_t. A boundary bounds it for all
its looks together with probability at least 1 − δ: L_t > ψ(t) exactly where W_t is above c(t) = tψ(t)/D − D/2. The
parameters are chosen in advance: choosing them anew at each look (the pointwise minimum) is crossed with probability 1.
"""

from nrverify.laws.boundary.grid import Grid
from nrverify.laws.boundary.half_normal import HalfNormalMixture
from nrverify.laws.boundary.linear import Linear
from nrverify.laws.boundary.mixture import Mixture
from nrverify.laws.boundary.skellam import SkellamLinear

__all__ = ["Grid", "HalfNormalMixture", "Linear", "Mixture", "SkellamLinear"]
