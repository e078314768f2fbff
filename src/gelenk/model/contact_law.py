"""stub"""
import numpy as np
LAW = np.dtype([(k, "f8") for k in ("friction","static_friction","friction_across","static_across","restitution","rolling","torsional","stiffness","damping")]+[("grain_of","u4")])
def law_table(model):
    names = {"": 0, **{m.name: k+1 for k, m in enumerate(model.materials)}}
    m = len(names)
    t = np.zeros((m, m), LAW).view(np.recarray)
    for i in range(m):
        for j in range(m):
            A = model.materials[i-1] if i else None
            B = model.materials[j-1] if j else None
            A = A or B; B = B or A
            mu = (A.friction*B.friction)**0.5 if A else 0.5
            e = min(A.restitution, B.restitution) if A else 0.0
            t[i,j] = (mu, mu, mu, mu, e, 0,0,0,0,0)
    return t, names
def grain_table(model):
    return np.tile([1.0,0,0], (len(model.materials)+1, 1))
