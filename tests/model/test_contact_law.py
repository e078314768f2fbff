"""Materials where they touch: their values, how they combine, laws of pairs, and all of it in scenes and copies."""

import copy
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gelenk as gk
from gelenk.model.contact_law import ELLIPSE, LAW, QUANTITIES, grain_table, law_table

nan, inf = float("nan"), float("inf")

WOOD = {"friction": 0.4, "static_friction": 0.5, "friction_across": 0.6, "grain": (0, 2, 0), "restitution": 0.4}
RUBBER = {"friction": 0.9, "static_friction": 1.2, "restitution": 0.8, "rolling_friction": 0.01, "stiffness": 1e4}
STEEL = {"friction": 0.1, "restitution": 0.6, "rolling_friction": 0.001, "torsional_friction": 0.002}
FOAM = {"friction": 0.9, "stiffness": 3e4, "damping": 40.0, "torsional_friction": 0.001}
ICE = {"friction": 0.0, "static_friction": 0.2}
KINDS = {"wood": WOOD, "rubber": RUBBER, "steel": STEEL, "foam": FOAM, "ice": ICE}


def builder(*laws):
    b = gk.Builder()
    for name, values in KINDS.items():
        b.material(name, **values)
    for a, other, values in laws:
        b.contact(a, other, **values)
    return b


def law(a, other, *laws):
    table, index = law_table(builder(*laws).build())
    return table[index[a], index[other]]


def of(row, *words):
    return tuple(float(row[word]) for word in words)


MAY_BE_NONE = ("static_friction", "friction_across")
FRICTION = ("friction", "static_friction", "friction_across", "static_across")


# --- materials --------------------------------------------------------------------------------------------------------


def test_a_material_is_hard_isotropic_and_sticks_as_it_slides_unless_told():
    m = gk.Material("m")
    assert (m.friction, m.static_friction, m.friction_across, m.grain) == (0.5, None, None, (1, 0, 0))
    assert (m.rolling_friction, m.torsional_friction, m.restitution, m.stiffness, m.damping) == (0, 0, 0, 0, 0)
    assert gk.Material("m", None, 0.5, 0.0, (0.6, 0.65, 0.7)) == m  # the order of before


@pytest.mark.parametrize(
    ("values", "words"),
    [
        *(({word: -0.1}, rf"{word} is -0\.1; allowed: .*at least 0") for word in QUANTITIES),
        *(({word: nan}, f"{word} is nan; allowed: a finite number") for word in QUANTITIES),
        *(({word: inf}, f"{word} is inf; allowed: a finite number") for word in QUANTITIES),
        *(({word: "much"}, f"{word} is 'much'.*Give {word} as a number") for word in QUANTITIES),
        *(({word: True}, f"{word} is True") for word in QUANTITIES),
        *(
            ({word: None}, f"{word} is None")
            for word in QUANTITIES
            if word not in ("static_friction", "friction_across")
        ),
        ({"restitution": 1.1}, r"restitution is 1\.1; allowed: .*at most 1"),
        (
            {"friction": 0.5, "static_friction": 0.4},
            r"static_friction is 0\.4, below the friction of 0\.5; allowed: at least 0\.5\. Raise static_friction or",
        ),
        ({"static_friction": 0.4}, r"static_friction is 0\.4, below the friction of 0\.5"),
        ({"grain": (0, -0.0, 0)}, r"grain is \(0\.0, -0\.0, 0\.0\), which has no direction; allowed: a length above 0"),
        ({"grain": (1, 0)}, r"grain is \(1, 0\); allowed: 3 finite numbers"),
        ({"grain": (1, nan, 0)}, "grain is .*nan"),
        ({"grain": "x"}, "grain is 'x'"),
        ({"damping": 3.0}, r"damping is 3\.0 with the stiffness 0 of hard contact; .*Give a stiffness too"),
        ({"stiffness": 1e-310}, r"stiffness is 1e-310, and 1 / 1e-310 is infinite; .*Check the units"),
        ({"stiffness": 1e301}, "stiffness is 1e[+]301; allowed: .*at most 1e[+]300"),
        ({"static_fricton": 1}, "unknown argument 'static_fricton'.*Did you mean 'static_friction'"),
    ],
)
def test_bad_materials_are_refused(values, words):
    with pytest.raises(gk.InputError, match=words) as caught:
        gk.Builder().material("oak", **values)
    assert caught.value.element in ("material 'oak'", "Material()")


# --- combination ------------------------------------------------------------------------------------------------------


def test_the_record_is_as_compiled_code_expects_it():
    fields = [*FRICTION, "restitution", "rolling", "torsional", "stiffness", "damping", "grain_of"]
    assert list(LAW.names)[:10] == fields
    assert [LAW[name].str for name in fields] == ["<f8"] * 9 + ["<u4"]
    assert LAW.itemsize % 8 == 0  # numbers of every row lie where the processor reads them in one go
    table, index = law_table(builder().build())
    assert isinstance(table, np.recarray)
    assert (table.shape, table.dtype.names) == ((6, 6), LAW.names)
    assert index == {"": 0, "wood": 1, "rubber": 2, "steel": 3, "foam": 4, "ice": 5}
    assert table[1, 2].friction == law("wood", "rubber").friction


def test_a_model_without_materials_has_one_law():
    table, index = law_table(gk.Builder().build())
    assert index == {"": 0}
    assert of(table[0, 0], *FRICTION) == (0.5, 0.5, 0.5, 0.5)
    assert of(table[0, 0], *LAW.names[4:]) == (0.0,) * len(LAW.names[4:])
    assert np.array_equal(grain_table(gk.Builder().build()), [[1, 0, 0]])


@pytest.mark.parametrize("name", KINDS)
def test_a_part_without_material_takes_on_what_it_touches(name):
    values = KINDS[name]
    row, twin = law("", name), law(name, "")
    friction = values["friction"]
    assert of(row, "friction", "static_friction", "friction_across") == (
        friction,
        values.get("static_friction", friction),
        values.get("friction_across", friction),
    )
    assert of(row, "restitution", "rolling", "torsional", "stiffness", "damping") == tuple(
        values.get(word, 0.0)
        for word in ("restitution", "rolling_friction", "torsional_friction", "stiffness", "damping")
    )
    assert [row.grain_of, twin.grain_of] == ([2, 1] if name == "wood" else [0, 0])


@pytest.mark.parametrize("name", KINDS)
def test_equal_coefficients_stay_to_the_bit(name):
    row, own = law(name, name), law("", name)
    words = (*FRICTION, "restitution", "rolling", "torsional")
    assert of(row, *words) == of(own, *words)


def test_coefficients_of_friction_by_the_geometric_mean():
    row = law("rubber", "steel")
    assert of(row, "friction", "static_friction") == pytest.approx((0.3, math.sqrt(0.12)), rel=1e-15)
    assert of(row, "friction_across", "static_across") == of(row, "friction", "static_friction")
    assert law("rubber", "foam").friction == 0.9
    assert of(law("rubber", "ice"), *FRICTION) == pytest.approx((0, math.sqrt(0.24), 0, math.sqrt(0.24)))
    assert law("rubber", "ice").friction == 0.0


def test_the_rest_by_minimum_and_larger_arm():
    assert law("rubber", "steel").restitution == 0.6
    assert law("rubber", "foam").restitution == 0.0
    assert of(law("rubber", "steel"), "rolling", "torsional") == (0.01, 0.002)
    assert of(law("foam", "steel"), "rolling", "torsional") == (0.001, 0.002)


def test_soft_ones_yield_in_series_and_hard_with_soft_is_the_soft_one():
    assert of(law("wood", "steel"), "stiffness", "damping") == (0, 0)
    assert of(law("steel", "foam"), "stiffness", "damping") == (3e4, 40)
    assert of(law("rubber", "steel"), "stiffness", "damping") == (1e4, 0)
    # foam takes a quarter of the way, 1e4 / (1e4 + 3e4), and so a sixteenth of its damping counts
    assert of(law("rubber", "foam"), "stiffness", "damping") == pytest.approx((7500, 2.5), rel=1e-15)
    assert of(law("foam", "foam"), "stiffness", "damping") == (1.5e4, 20)


def test_damping_in_series_is_that_of_two_spring_dampers_under_a_slow_load():
    """Both carry F = k x + d x'. Under F = F' t the ways are F/k - d F'/k^2, and their sum is that of the pair."""
    k, d, rate = (2.0, 7.0), (0.3, 0.11), 0.01
    b = gk.Builder()
    for name, stiffness, damping in zip("ab", k, d):
        b.material(name, stiffness=stiffness, damping=damping)
    row = law_table(b.build())[0][1, 2]
    for t in (1.0, 5.0):
        way = sum(rate * t / k_i - d_i * rate / k_i**2 for k_i, d_i in zip(k, d))
        assert rate * t / row.stiffness - row.damping * rate / row.stiffness**2 == pytest.approx(way, rel=1e-14)


def test_grain_of_the_only_and_of_the_stronger_one():
    row = law("wood", "rubber")
    along, across = math.sqrt(0.4 * 0.9), math.sqrt(0.6 * 0.9)
    assert of(row, "friction", "friction_across") == pytest.approx((along, across), rel=1e-15)
    assert row.static_across == pytest.approx(row.static_friction * across / along, rel=1e-15)
    assert (row.grain_of, law("rubber", "wood").grain_of) == (1, 2)
    assert law("wood", "wood").grain_of == 1
    assert (law("wood", "ice").grain_of, law("rubber", "foam").grain_of) == (0, 0)  # nothing is left of it on ice
    b = gk.Builder()
    for name, across in (("weak", 0.45), ("strong", 0.1), ("alike", 0.1), ("plain", 0.5)):
        b.material(name, friction=0.5, friction_across=across)
    table, index = law_table(b.build())
    owner = {(a, o): table[index[a], index[o]].grain_of for a in index for o in index}
    assert (owner["weak", "strong"], owner["strong", "weak"]) == (2, 1)
    assert (owner["strong", "alike"], owner["alike", "strong"]) == (1, 2)  # the first of the model
    assert (owner["weak", "plain"], owner["plain", "weak"], owner["plain", "plain"]) == (1, 2, 0)


def test_directions_of_the_grain_are_unit_vectors():
    b = builder()
    b.material("far", grain=(3e200, 0, -4e200))
    grain = grain_table(b.build())
    assert np.array_equal(grain[:2], [[1, 0, 0], [0, 1, 0]])
    assert grain[-1] == pytest.approx([0.6, 0, -0.8], rel=1e-15)


def test_sticking_across_a_grain_along_which_nothing_resists():
    b = gk.Builder()
    b.material("skate", friction=0.0, static_friction=0.3, friction_across=0.8)
    b.material("tiny", friction=5e-324, static_friction=1e308, friction_across=1e308)
    table = law_table(b.build())[0]
    assert of(table[0, 1], *FRICTION) == (0.0, 0.3, 0.8, 0.8)
    assert np.isfinite(table[0, 2].static_across)


coefficients = st.just(0.0) | st.floats(1e-300, 1e300) | st.floats(0.0, 2.0)


@st.composite
def material(draw):
    friction, stiffness = draw(coefficients), draw(st.just(0.0) | st.floats(1e-300, 1e300))
    return {
        "friction": friction,
        "static_friction": draw(st.none() | coefficients.map(lambda x: max(x, friction))),
        "friction_across": draw(st.none() | coefficients),
        "stiffness": stiffness,
        "damping": draw(st.floats(0.0, 1e300)) if stiffness else 0.0,
        "restitution": draw(st.floats(0.0, 1.0)),
        "rolling_friction": draw(coefficients),
    }


@settings(max_examples=100, deadline=None)
@given(st.lists(material(), max_size=3))
def test_every_table_is_finite_symmetric_and_sticks_no_weaker_than_it_slides(kinds):
    b = gk.Builder()
    for k, values in enumerate(kinds):
        b.material(f"m{k}", **values)
    table, _ = law_table(b.build())
    for name in LAW.names[:9]:
        assert np.isfinite(table[name]).all()
        assert (table[name] >= 0.0).all()
        assert table[name].tobytes() == table[name].T.copy().tobytes()
    assert (table.static_friction >= table.friction).all()
    assert (table.static_across >= table.friction_across).all()
    assert ((table.stiffness > 0.0) | (table.damping == 0.0)).all()
    owner = table.grain_of
    off = ~np.eye(len(table), dtype=bool)
    assert ((owner == 0) == (table.friction == table.friction_across)).all()
    assert (((owner + owner.T) == 3) | (owner == 0))[off].all()


# --- laws of pairs ----------------------------------------------------------------------------------------------------


def test_a_law_replaces_what_it_says_and_nothing_else():
    before = law("rubber", "steel")
    for word, name in {"restitution": "restitution", "rolling_friction": "rolling", "stiffness": "stiffness"}.items():
        after = law("rubber", "steel", ("steel", "rubber", {word: 0.25}))
        assert after[name] == 0.25
        others = [other for other in LAW.names if other != name]
        assert of(after, *others) == of(before, *others)
    everything = {
        "friction": 0.1,
        "static_friction": 0.3,
        "friction_across": 0.2,
        "rolling_friction": 0.4,
        "torsional_friction": 0.5,
        "restitution": 0.6,
        "stiffness": 7.0,
        "damping": 8.0,
        "slip_restitution": 0.9,
    }
    assert set(everything) == set(QUANTITIES)
    table, _ = law_table(builder(("rubber", "steel", everything)).build())
    for i, j, owner in ((2, 3, 1), (3, 2, 2)):
        expected = (0.1, 0.3, 0.2, 0.3 * 0.2 / 0.1, 0.6, 0.4, 0.5, 7, 8, owner, ELLIPSE, 0, 0, 0, 0.9)
        assert of(table[i, j], *LAW.names) == pytest.approx(expected, rel=1e-15)
    free, _ = law_table(builder().build())
    rest = np.ones(table.shape, dtype=bool)
    rest[2, 3] = rest[3, 2] = False
    assert table[rest].tobytes() == free[rest].tobytes()


def test_friction_alone_holds_for_sticking_and_all_directions():
    assert of(law("wood", "rubber", ("wood", "rubber", {"friction": 0.05})), *FRICTION) == (0.05,) * 4
    assert law("wood", "rubber", ("wood", "rubber", {"friction": 0.05})).grain_of == 0
    row = law("wood", "rubber", ("wood", "rubber", {"static_friction": 3.0}))
    assert of(row, "friction", "static_friction") == (law("wood", "rubber").friction, 3.0)
    assert row.grain_of == 1


def test_laws_of_parts_without_material_and_of_a_material_with_itself():
    assert law("", "", ("", "", {"friction": 0.7})).friction == 0.7
    assert law("", "steel", ("steel", "", {"restitution": 0.1})).restitution == 0.1
    assert law("steel", "steel", ("steel", "steel", {"friction": 0.7})).friction == 0.7
    row = law("", "", ("", "", {"friction_across": 0.7}))
    assert (row.friction, row.friction_across, row.grain_of) == (0.5, 0.7, 1)


def test_a_law_with_a_grain_says_whose_by_its_order_where_the_materials_do_not():
    values = {"friction": 0.1, "friction_across": 0.2}
    assert law("rubber", "steel", ("rubber", "steel", values)).grain_of == 1
    assert law("rubber", "steel", ("steel", "rubber", values)).grain_of == 2
    assert law("steel", "rubber", ("steel", "rubber", values)).grain_of == 1
    assert law("wood", "rubber", ("rubber", "wood", values)).grain_of == 1  # wood has one
    assert law("", "rubber", ("", "rubber", values)).grain_of == 2  # no material has none


def test_a_law_can_make_soft_ones_hard_and_hard_ones_soft():
    assert of(law("rubber", "foam", ("foam", "rubber", {"stiffness": 0})), "stiffness", "damping") == (0, 0)
    soft = law("wood", "steel", ("wood", "steel", {"stiffness": 5, "damping": 6}))
    assert of(soft, "stiffness", "damping") == (5, 6)
    assert law("steel", "foam", ("foam", "steel", {"damping": 7})).damping == 7


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *(
            (("rubber", "steel", {word: bad}), f"contact 'rubber', 'steel': {word} is {re.escape(shown)}; allowed: .*")
            for word in QUANTITIES
            for bad, shown in ((-1, "-1.0"), (nan, "nan"), (inf, "inf"), ("a", "'a'"), (False, "False"))
        ),
        (("rubber", "steel", {"restitution": 1.5}), r"restitution is 1\.5; allowed: .*at most 1"),
        (
            ("rubber", "steel", {"friction": 0.4, "static_friction": 0.3}),
            r"contact 'rubber', 'steel': static_friction is 0\.3, below the friction of 0\.4; .*Raise static_friction",
        ),
        (
            ("rubber", "steel", {"stiffness": 0, "damping": 1}),
            r"damping is 1\.0 with the stiffness 0.*Give a stiffness",
        ),
        (("rubber", "steel", {}), "contact 'rubber', 'steel': a law without values; allowed: one or more of friction"),
        (("rubber", "steal", {"friction": 1}), "material is 'steal', which does not exist; .*Did you mean 'steel'"),
        (("gold", "steel", {"friction": 1}), "material is 'gold', .*'foam', 'ice', 'rubber', 'steel', 'wood'"),
        ((3, "steel", {"friction": 1}), r"contact\(\): a is 3; allowed: the name of a material"),
        (("steel", ["wood"], {"friction": 1}), r"contact\(\): b is \['wood'\]"),
        (("steel", "wood", {"fricton": 1}), r"contact\(\): unknown argument 'fricton'.*Did you mean 'friction'"),
        (("wood", "ice", {"friction": 1}), "contact 'wood', 'ice': the pair has a law already; .*remove_contact"),
        (("ice", "wood", {"friction": 1}), "contact 'ice', 'wood': the pair has a law already"),
    ],
)
def test_bad_laws_are_refused_and_nothing_is_changed(call, words):
    b = builder(("wood", "ice", {"friction": 0.02}))
    with pytest.raises(gk.InputError, match=words) as caught:
        b.contact(call[0], call[1], **call[2])
    assert caught.value.remedy[-1] in ".?"
    assert b.build() == builder(("wood", "ice", {"friction": 0.02})).build()


def test_without_names_only_the_materials():
    with pytest.raises(gk.InputError, match="3 arguments without a name; allowed: only a, b"):
        builder().contact("wood", "ice", 0.1)
    with pytest.raises(gk.InputError, match="without b"):
        builder().contact("wood", friction=0.1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"static_friction": 0.01}, r"static_friction is 0\.01, below the friction of 0\.3.* that the materials give"),
        ({"damping": 1.0}, "damping is 1.0 with the stiffness 0 of hard contact that the materials give"),
    ],
)
def test_what_only_both_materials_tell_is_refused_when_the_model_is_built(values, words):
    b = builder()
    b.material("brass", friction=0.9)
    b.contact("brass", "steel", **values)
    with pytest.raises(gk.InputError, match=f"contact 'brass', 'steel': {words}"):
        b.build()


# --- models, copies, scenes -------------------------------------------------------------------------------------------

LAWS = (
    ("rubber", "ice", {"friction": 0.05}),
    ("", "wood", {"restitution": 0.1 + 0.2, "static_friction": 1.0}),
    ("steel", "steel", {"stiffness": 1e7, "damping": 1 / 3, "torsional_friction": 5e-324}),
    ("wood", "foam", {"friction": 0.3, "friction_across": 0.0, "rolling_friction": -0.0}),
)


def test_the_model_holds_them_in_the_order_they_were_said():
    model = builder(*LAWS).build()
    assert model.contacts == tuple(gk.ContactLaw(a, b, **values) for a, b, values in LAWS)
    assert model != builder(*LAWS[:3]).build()
    assert builder().build().contacts == ()


def test_scenes_copies_and_other_processes_keep_them():
    model = builder(*LAWS).build()
    text = gk.scene_text(model)
    assert '[[contact]]\nbetween = ["rubber", "ice"]\nfriction = 0.05\n' in text
    assert "[material.wood]\nfriction = 0.4\nrestitution = 0.4\nstatic_friction = 0.5\nfriction_across = 0.6\n" in text
    table = law_table(model)[0].tobytes()
    copies = (
        gk.read_scene(text),
        gk.Builder.from_model(model).build(),
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    )
    for same in copies:
        assert same == model
        assert same.contacts == model.contacts
        assert gk.scene_text(same) == text  # -0.0 too
        assert law_table(same)[0].tobytes() == table


def test_merged_and_assembled_models_keep_them():
    b = builder(*LAWS)
    for k in range(2):
        b.body(f"ball {k}", shape=gk.Sphere(0.5), material="wood", at=(k, 0, 0))
    b.add(gk.Rigid(name="weld", a="ball 0", b="ball 1", at=(0.5, 0, 0)))
    model = b.build(merge=True, assemble=True)
    assert len(model.bodies) == 1
    assert model.contacts == builder(*LAWS).build().contacts


def test_a_law_of_a_removed_material_is_refused_when_the_model_is_built():
    b = gk.Builder.from_model(builder(*LAWS).build())
    b.remove("ice")
    with pytest.raises(gk.InputError, match="contact 'rubber', 'ice': material is 'ice', which does not exist"):
        b.build()
    b.remove_contact("ice", "rubber")
    assert b.build().contacts == builder(*LAWS[1:]).build().contacts
    b.material("ice", friction=0.01)
    b.contact("ice", "rubber", friction=0.02)
    assert b.build().contacts[-1] == gk.ContactLaw("ice", "rubber", friction=0.02)


@pytest.mark.parametrize("pair", [("rubber", "wood"), (3, "ice"), (["ice"], "rubber")])
def test_a_law_that_is_not_there_cannot_be_removed(pair):
    with pytest.raises(gk.InputError, match=r"remove_contact\(\): .* which have no law; allowed: 'rubber' and 'ice', "):
        builder(*LAWS).remove_contact(*pair)


HEAD = "[material.rubber]\nfriction = 0.9\n[material.ice]\nfriction = 0.9\n"  # four lines


def test_a_scene_by_hand():
    text = HEAD + '[[contact]]\nbetween = ["rubber", "ice"]\nfriction = 0.05\n[[contact]]\nbetween = ["", "ice"]\n'
    model = gk.read_scene(text + "restitution = 1\n")
    expected = gk.ContactLaw("rubber", "ice", friction=0.05), gk.ContactLaw("", "ice", restitution=1.0)
    assert model.contacts == expected
    also = 'contact = [{ between = ["", "ice"], friction = 1 }]\n' + HEAD
    assert gk.read_scene(also).contacts == (gk.ContactLaw("", "ice", friction=1.0),)


BETWEEN = '[[contact]]\nbetween = ["rubber", "ice"]\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + BETWEEN + "friction = -1", 7, r"contact 'rubber', 'ice': friction is -1\.0"),
        (HEAD + BETWEEN + "restitution = 0\nstiffness = 'x'", 8, "stiffness is 'x'"),
        (HEAD + BETWEEN + "friction = 0.5\nstatic_friction = 0.4", 8, "static_friction is 0.4, below"),
        (HEAD + BETWEEN + "restitution = 0\nstatic_friction = 0.4", 8, "below the friction of 0.9 that the materials"),
        (HEAD + BETWEEN + "restitution = 0\ndamping = 1", 8, "hard contact that the materials give"),
        (HEAD + BETWEEN + "fricton = 1", 7, "contact 1: unknown key 'fricton'; .*Did you mean 'friction'"),
        (HEAD + BETWEEN + "[contact.grain]\nx = 1", 7, "contact 1: unknown key 'grain'; .*Remove it"),
        (HEAD + BETWEEN, 5, "a law without values"),
        (HEAD + 2 * (BETWEEN + "friction = 1\n"), 8, "the pair has a law already"),
        (HEAD + "[[contact]]\nfriction = 1", 5, "contact 1: between is missing; .*Add between"),
        (HEAD + "[[contact]]\nfriction = 1\nbetween = ['ice']", 7, r"contact 1: between is \['ice'\]; .*two names"),
        (HEAD + "[[contact]]\nfriction = 1\nbetween = 'ice'", 7, r"between is 'ice'.*Write between = "),
        (HEAD + "[[contact]]\nfriction = 1\nbetween = ['ice', 3]", 7, r"between is \['ice', 3\]"),
        (HEAD + "[[contact]]\nfriction = 1\nbetween = ['ice', 'ruber']", 7, "'ruber', .*Did you mean 'rubber'"),
        (
            HEAD + "[contact.rubber]\nice = 0.5",
            5,
            r"contact is .*an array of tables\. Begin each law with \[\[",
        ),
        ("contact = 3", 1, "contact is 3; allowed: an array of tables"),
        ("contact = [3]", 1, "contact 1: it is 3; allowed: a table"),
        ("[[contacts]]\nfriction = 1", 1, "unknown key 'contacts'; .*Did you mean 'contact'"),
        ("[material.m]\nfriction = 0.5\nstatic_friction = 0.4", 3, "material 'm': static_friction is 0.4, below"),
        ("[material.m]\nfriction = 0.5\nroling_friction = 1", 3, "unknown key .*Did you mean 'rolling_friction'"),
        ("[material.m]\nfriction = 0.5\ngrain = [0, 0, 0]", 3, "grain is .* which has no direction"),
    ],
)
def test_errors_in_scenes_name_their_line(text, line, words):
    with pytest.raises(gk.InputError, match=words) as caught:
        gk.read_scene(text)
    assert caught.value.line == line
