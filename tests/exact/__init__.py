"""Closed-form motions as reusable reference code for tests: NumPy and SciPy only, nothing from the package under test.

One file, one motion; every function takes the times first and returns arrays with the time as first axis:

    free_top            torque-free rigid body, any moments of inertia, with attitude
    symmetric_top       torque-free body with two equal moments
    two_bodies_spring   two point masses on a damped spring, collinear
    drag_flight         vertical flight with quadratic drag
    ballistic           constant force

`elliptic` and `quaternion` hold the mathematics that several of them share.
"""
