"""Adapters around the samplers of libraries that people install: at most ten lines each.

Each is an ordinary subject: what a library calls its parameters is translated, nothing else. ε-knobs ask for what the
library documents (sensitivity 1), time-knobs for its scale or variance. Imports are inside, so that one library can be
audited where the others are missing.
"""

from __future__ import annotations

import numpy as np


class Once:
    """One release of one number, for every adapter below."""

    most_releases, dimensions = 1, (1,)


class DiffprivlibLaplace(Once):
    """diffprivlib.mechanisms.Laplace"""

    library, mechanism, knob, sensitivity = "diffprivlib", "laplace", "epsilon", 1.0

    def sample(self, value, schedule, sessions, seed):
        from diffprivlib.mechanisms import Laplace

        noisy = Laplace(epsilon=schedule[0], sensitivity=1.0, random_state=seed % 2**32)
        return np.array([noisy.randomise(float(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)

    def time_of(self, epsilon):
        return 1 / epsilon


class DiffprivlibGaussian(Once):
    """diffprivlib.mechanisms.Gaussian"""

    library, mechanism, knob, sensitivity, delta, range = "diffprivlib", "brownian", "epsilon", 1.0, 1e-5, (0.1, 1.0)

    def sample(self, value, schedule, sessions, seed):
        from diffprivlib.mechanisms import Gaussian

        noisy = Gaussian(epsilon=schedule[0], delta=1e-5, sensitivity=1.0, random_state=seed % 2**32)
        return np.array([noisy.randomise(float(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)


class DiffprivlibAnalytic(Once):
    """diffprivlib.mechanisms.GaussianAnalytic"""

    library, mechanism, knob, sensitivity, delta = "diffprivlib", "brownian", "epsilon", 1.0, 1e-5

    def sample(self, value, schedule, sessions, seed):
        from diffprivlib.mechanisms import GaussianAnalytic

        noisy = GaussianAnalytic(epsilon=schedule[0], delta=1e-5, sensitivity=1.0, random_state=seed % 2**32)
        return np.array([noisy.randomise(float(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)


class PydpLaplace(Once):
    """pydp.algorithms.numerical_mechanisms.LaplaceMechanism"""

    library, mechanism, knob, sensitivity = "python-dp", "laplace", "epsilon", 1.0

    def sample(self, value, schedule, sessions, seed):
        from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

        noisy = LaplaceMechanism(schedule[0], 1.0)
        return np.array([noisy.add_noise(float(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)

    def time_of(self, epsilon):
        return 1 / epsilon


class PydpGaussian(Once):
    """pydp.algorithms.numerical_mechanisms.GaussianMechanism"""

    library, mechanism, knob, sensitivity, delta = "python-dp", "brownian", "epsilon", 1.0, 1e-5

    def sample(self, value, schedule, sessions, seed):
        from pydp.algorithms.numerical_mechanisms import GaussianMechanism

        noisy = GaussianMechanism(schedule[0], 1e-5, 1.0)
        return np.array([noisy.add_noise(float(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)


class OpendpLaplace(Once):
    """opendp.measurements.make_laplace on floats"""

    library, mechanism = "opendp", "laplace"

    def sample(self, value, schedule, sessions, seed):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
        noisy = dp.m.make_laplace(*space, scale=schedule[0])
        return np.array(noisy([float(value[0])] * sessions)).reshape(-1, 1, 1)


class OpendpGaussian(Once):
    """opendp.measurements.make_gaussian on floats"""

    library, mechanism = "opendp", "brownian"

    def sample(self, value, schedule, sessions, seed):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
        noisy = dp.m.make_gaussian(*space, scale=schedule[0] ** 0.5)
        return np.array(noisy([float(value[0])] * sessions)).reshape(-1, 1, 1)


class TumultLaplace(Once):
    """tmlt.core.random.laplace.laplace"""

    library, mechanism = "tmlt.core", "laplace"

    def sample(self, value, schedule, sessions, seed):
        from tmlt.core.random.laplace import laplace

        drawn = [laplace(float(value[0]), schedule[0]) for _ in range(sessions)]
        return np.array(drawn).reshape(-1, 1, 1)


class TumultGaussian(Once):
    """tmlt.core.random.continuous_gaussian.gaussian"""

    library, mechanism = "tmlt.core", "brownian"

    def sample(self, value, schedule, sessions, seed):
        from tmlt.core.random.continuous_gaussian import gaussian

        drawn = [gaussian(schedule[0], float(value[0])) for _ in range(sessions)]
        return np.array(drawn).reshape(-1, 1, 1)


class DiffprivlibGeometric(Once):
    """diffprivlib.mechanisms.Geometric"""

    library, mechanism, knob, sensitivity = "diffprivlib", "discrete-laplace", "epsilon", 1.0

    def sample(self, value, schedule, sessions, seed):
        from diffprivlib.mechanisms import Geometric

        noisy = Geometric(epsilon=schedule[0], sensitivity=1, random_state=seed % 2**32)
        return np.array([noisy.randomise(int(value[0])) for _ in range(sessions)]).reshape(-1, 1, 1)

    def time_of(self, epsilon):
        return 1 / epsilon


class OpendpDiscreteLaplace(Once):
    """opendp.measurements.make_laplace on integers"""

    library, mechanism = "opendp", "discrete-laplace"

    def sample(self, value, schedule, sessions, seed):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        noisy = dp.m.make_laplace(*space, scale=schedule[0])
        return np.array(noisy([int(value[0])] * sessions)).reshape(-1, 1, 1)


class OpendpDiscreteGaussian(Once):
    """opendp.measurements.make_gaussian on integers"""

    library, mechanism = "opendp", "discrete-gaussian"

    def sample(self, value, schedule, sessions, seed):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
        noisy = dp.m.make_gaussian(*space, scale=schedule[0] ** 0.5)
        return np.array(noisy([int(value[0])] * sessions)).reshape(-1, 1, 1)


class TumultDiscreteGaussian(Once):
    """tmlt.core.random.discrete_gaussian.sample_dgauss"""

    library, mechanism = "tmlt.core", "discrete-gaussian"

    def sample(self, value, schedule, sessions, seed):
        from tmlt.core.random.discrete_gaussian import sample_dgauss

        drawn = [int(value[0]) + sample_dgauss(schedule[0]) for _ in range(sessions)]
        return np.array(drawn).reshape(-1, 1, 1)


ADAPTERS = tuple(one for one in list(globals().values()) if isinstance(one, type) and "library" in vars(one))
"""All of them, in the order above."""
