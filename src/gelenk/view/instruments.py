"""What a page reads and turns beside the picture: plots, the values in the tree, parameters, inputs, outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.view.devices import Input, Tone, Vibration
from gelenk.view.from_page import SetInput, SetParameter, Subscribe, Watch
from gelenk.view.parameters import Parameter, own_inputs, own_parameters
from gelenk.view.quantities import Moment, Quantities, Read
from gelenk.view.session import Session
from gelenk.view.sounds import Hit, Noise
from gelenk.view.to_page import Outputs, Problem, Samples, Settings, Values

Output = Tone | Noise | Hit | Vibration
PIECES = 4  # samples a tick while something is plotted
SEND = 0.1  # wall time between two messages of samples [s]
SHOW = 0.2  # wall time between two looks at values and settings [s]
SENSE = 0.05  # wall time between two looks at outputs [s]


class Plots:
    """Samples for those who subscribed, values for those who watch; nothing is computed for nobody."""

    def __init__(self, session: Session, own: Mapping[str, Callable[[Any], Any]]) -> None:
        self.session, self.own = session, dict(own)
        self._wanted: dict[int, tuple[str, ...]] = {}  # client -> names
        self._watched: dict[int, tuple[str, ...]] = {}  # client -> names of owners
        self._sent_at = self._shown_at = -math.inf
        self._time: list[float] = []
        self._values: dict[str, list[float | None]] = {}
        self._read: dict[str, Read] = {}
        self._quantities = Quantities(session.sim, self.own)
        session.handlers |= {Subscribe: self.subscribe, Watch: self.watch}
        session.on_exchange.append(self._find)
        session.on_reset.append(self._start_anew)
        session.after_steps.append(self.sample)
        session.on_publish.append(self.publish)
        session.leaving.append(self.forget)

    def forget(self, client: int) -> None:
        """A page is gone, and wants nothing any more."""
        self._watched.pop(client, None)
        if self._wanted.pop(client, None):
            self._find()

    def subscribe(self, client: int, message: Subscribe) -> None:
        """Which quantities a page plots; names that nothing has are refused, and the others sent."""
        self.send()
        names = tuple(dict.fromkeys(message.signals))
        self._wanted.pop(client, None)
        if names:
            self._wanted[client] = names
        self._find()
        lacking = [name for name in names if name not in self._read]
        if lacking:
            self._quantities.read(lacking[0])  # raises, and says what there is

    def watch(self, client: int, message: Watch) -> None:
        """Whose values a page shows."""
        self._watched.pop(client, None)
        if message.names:
            self._watched[client] = tuple(dict.fromkeys(message.names))
        self._shown_at = -math.inf

    def _find(self) -> None:
        """Find anew what reads the quantities, after a change of model or wishes."""
        self.send()
        self._quantities = Quantities(self.session.sim, self.own)
        self._read = {}
        for name in {name for names in self._wanted.values() for name in names}:
            try:
                self._read[name] = self._quantities.read(name)
            except InputError:
                continue
        self._time, self._values = [], {name: [] for name in self._read}
        self.session.pieces = PIECES if self._read else 1
        self.sample()

    def _start_anew(self) -> None:
        self._time, self._values = [], {name: [] for name in self._read}
        self.sample()

    def sample(self) -> None:
        """Read all quantities that someone plots."""
        time = self.session.sim.time
        if not self._read or (self._time and self._time[-1] == time):
            return
        moment = Moment(self.session.sim)
        self._time.append(time)
        for name, read in self._read.items():
            self._values[name].append(number(read, moment))

    def send(self) -> None:
        """Send what was sampled to those who asked for it."""
        if self._time:
            time = tuple(self._time)
            for client, names in self._wanted.items():
                values = {name: tuple(self._values[name]) for name in names if name in self._values}
                self.session.tell(client, Samples(time, values))
            self._time, self._values = [], {name: [] for name in self._read}

    def publish(self, now: float) -> None:
        """Now and then, or at once while it pauses."""
        if now - self._sent_at >= SEND or not self.session.clock.playing:
            self._sent_at = now
            self.send()
        if self._watched and now - self._shown_at >= SHOW:
            self._shown_at = now
            moment = Moment(self.session.sim)
            for client, owners in self._watched.items():
                names = [name for owner in owners for name in self._quantities.names_of(owner)]
                values = {name: text(self._value(name, moment)) for name in names}
                self.session.tell(client, Values(values))

    def _value(self, name: str, moment: Moment) -> float | None:
        try:
            return number(self._quantities.read(name), moment)
        except InputError:
            return None


def number(read: Read, moment: Moment) -> float | None:
    """What is read, or None where it is no finite number or cannot be read."""
    try:
        value = float(read(moment))
    except Exception:  # of a function of the user: the simulation goes on
        return None
    return value if math.isfinite(value) else None


def text(value: float | None) -> str:
    """A value in few characters."""
    return "–" if value is None else f"{value:.4g}" if abs(value) >= 5e-13 else "0"


class Dials:
    """Parameters and inputs: told to pages when they change, and changed by them."""

    def __init__(self, session: Session, parameters: Iterable[Parameter], inputs: Iterable[Input]) -> None:
        self.session = session
        self._declared = tuple(parameters)
        inputs = tuple(inputs)
        self.devices = {device.name: device for device in inputs}
        self._waiting: dict[str, tuple[int, float]] = {}  # parameter -> client, value
        self._movers: dict[str, int] = {}  # device -> client that moved it last
        self._told: Settings | None = None
        self._looked_at = -math.inf
        self.parameters: dict[str, Parameter] = {}
        self._known: dict[str, Parameter] = {}  # those of all models so far
        self._find()
        session.handlers |= {SetParameter: self.set_parameter, SetInput: self.set_input}
        session.on_exchange.append(self._find)
        session.on_reset.append(self._let_go)
        session.after_commands.append(self.apply)
        session.on_publish.append(self.publish)
        session.shared = frozenset(device.name for device in inputs if device.shared)
        session.hands_off.append(lambda client: self.rest(client, shared=False))
        session.leaving.append(self.rest)

    def _find(self) -> None:
        """What there is to change now; what was there before keeps its ends and its direction."""
        own = {parameter.name: parameter for parameter in own_parameters(self.session.sim.model)}
        declared = {parameter.name: parameter for parameter in self._declared}
        self._known = own | self._known
        self.parameters = declared | {name: self._known[name] for name in own if name not in declared}

    def _let_go(self) -> None:
        """A reset has set the inputs of the model back; what hands hold is handed on again."""
        for device in self.devices.values():
            self.session.attempt(f"input {device.name!r}", device.put, self.session.sim, device.value)

    def rest(self, client: int, *, shared: bool = True) -> None:
        """What a page moved that steers no longer goes to rest; what is shared, when the page is gone."""
        for name in [name for name, mover in self._movers.items() if mover == client]:
            device = self.devices[name]
            if device.shared and not shared:
                continue
            del self._movers[name]
            self.session.attempt(f"input {name!r}", device.put, self.session.sim, device.rest)
        self._looked_at = -math.inf

    def set_parameter(self, client: int, message: SetParameter) -> None:
        """Change a parameter once all commands that wait are read: of several changes the last one counts."""
        if message.name not in self.parameters:
            raise unknown("view", "parameter", message.name, self.parameters)
        parameter = self.parameters[message.name]
        if not parameter.low <= message.value <= parameter.high:
            allowed = f"{parameter.low:g} to {parameter.high:g} {parameter.unit}"
            self._tell_again()
            raise InputError(f"parameter {message.name!r}", f"{message.value:g}", allowed, "Keep within these.")
        self._waiting[message.name] = client, message.value

    def apply(self) -> None:
        """Carry out what waits."""
        waiting, self._waiting = self._waiting, {}
        for name, (client, value) in waiting.items():
            try:
                self._put(self.parameters[name], value)
            except Exception as error:  # of a function of the user, or a model that cannot be: the simulation goes on
                self.session.tell(client, Problem(str(error)[:500]))
                self._tell_again()
            self._looked_at = -math.inf

    def _tell_again(self) -> None:
        """What is refused stands on a page still: it is told what is true."""
        self._told, self._looked_at = None, -math.inf

    def _put(self, parameter: Parameter, value: float) -> None:
        sim, change = self.session.sim, parameter.change
        if change is None:
            parameter.put(sim, value)
        elif parameter.value(sim) != value:
            self.session.exchange(sim.changed(lambda builder: change(builder, value)))

    def set_input(self, client: int, message: SetInput) -> None:
        """Move an input of the view, or a set-point of the model."""
        if message.name in self.devices:
            self._movers[message.name] = client
            self.devices[message.name].put(self.session.sim, message.value)
        else:
            self.session.sim.inputs[message.name] = message.value
        self._looked_at = -math.inf

    def scene(self) -> dict[str, Any]:
        """As the page is told of them."""
        sim = self.session.sim
        return {
            "parameters": tuple(setting for p in self.parameters.values() if (setting := self._read(p, p.setting))),
            "inputs": tuple(own_inputs(sim)),
            "devices": tuple(device.device for device in self.devices.values()),
        }

    def _read(self, parameter: Parameter, read: Callable[[Any], Any]) -> Any:
        """Of a parameter, or None where its function fails, as when its body was deleted."""
        return self.session.attempt(f"parameter {parameter.name!r}", read, self.session.sim)

    def publish(self, now: float) -> None:
        """Tell what has changed since the last look."""
        if now - self._looked_at < SHOW:
            return
        self._looked_at, sim = now, self.session.sim
        read = {name: self._read(parameter, parameter.value) for name, parameter in self.parameters.items()}
        parameters = {name: value for name, value in read.items() if value is not None}
        shown = {name: device.value for name, device in self.devices.items()}
        settings = Settings(parameters, {s.name: s.value for s in own_inputs(sim)} | shown)
        if settings != self._told:
            self._told = settings
            self.session.tell(None, settings)


class Senses:
    """Tones, noises, hits and vibration: told when they change."""

    def __init__(self, session: Session, outputs: Iterable[Output]) -> None:
        self.session, self.outputs = session, tuple(outputs)
        self._told: Outputs | None = None
        self._looked_at = -math.inf
        if self.outputs:
            session.on_publish.append(self.publish)

    def scene(self) -> dict[str, Any]:
        """As the page is told of them."""
        tones = tuple(tone.name for tone in self.outputs if isinstance(tone, Tone))
        noises = tuple(output.name for output in self.outputs if isinstance(output, (Noise, Hit)))
        return {
            "tones": tones,
            "noises": noises,
            "vibrates": any(isinstance(output, Vibration) for output in self.outputs),
        }

    def publish(self, now: float) -> None:
        """Tell what is heard and felt; silence while it pauses."""
        if now - self._looked_at < SENSE:
            return
        self._looked_at = now
        on = self.session.clock.playing
        tones = {tone.name: tone.now() if on else (1.0, 0.0) for tone in self.outputs if isinstance(tone, Tone)}
        felt = [output.now() for output in self.outputs if isinstance(output, Vibration)] if on else []
        weak, strong = (max((pair[k] for pair in felt), default=0.0) for k in (0, 1))
        noises = {noise.name: noise.now() for noise in self.outputs if isinstance(noise, Noise)}
        if not on:
            noises = {name: (cutoff, 0.0, sharpness) for name, (cutoff, _, sharpness) in noises.items()}
        hits = {hit.name: hit.now() for hit in self.outputs if isinstance(hit, Hit)}
        outputs = Outputs(tones, weak, strong, noises, hits)
        if outputs != self._told:
            self._told = outputs
            self.session.tell(None, outputs)


def check_names(element: str, things: Iterable[Any], kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """A list of things of some kinds with different names."""
    words = " or ".join(f"gk.{kind.__name__}" for kind in kinds)
    if isinstance(things, (str, Mapping)) or not isinstance(things, Iterable):
        raise InputError("view()", f"{element} is {things!r}"[:100], f"a list of {words}", "Pass a list.")
    made = tuple(things)
    for thing in made:
        if not isinstance(thing, kinds):
            raise InputError("view()", f"{element} has {thing!r}"[:100], f"a list of {words}", "Pass these.")
    names = [thing.name for thing in made]
    for name in names:
        if names.count(name) > 1:
            raise InputError("view()", f"two {element} {name!r}"[:100], "different names", "Rename one.")
    return made
