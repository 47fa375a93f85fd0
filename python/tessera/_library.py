"""The C library, by ctypes: structs and functions of tessera.h."""
import ctypes
import ctypes.util
import os
import signal
import threading
from contextlib import ExitStack, contextmanager, nullcontext
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double,
                    c_int, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p,
                    sizeof)

import numpy as np

SONAME = "libtessera.so.0"


def _load(name):
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"{name} cannot be loaded ({error}); install Tessera, or name the "
            "library in TESSERA_LIBRARY") from None


lib = _load(os.environ.get("TESSERA_LIBRARY", SONAME))
_glib = _load("libglib-2.0.so.0")


class GError(Structure):
    _fields_ = [("domain", c_uint32), ("code", c_int), ("message", c_char_p)]


_glib.g_error_free.argtypes = [POINTER(GError)]
_glib.g_error_free.restype = None

Progress = CFUNCTYPE(c_int, c_double, c_void_p)


class TesseraError(Exception):
    """What the library reports, in its words.

    Arguments or data that cannot be used raise a subclass of it that is a
    ValueError too.

    Parameters
    ----------
    *args
        The message.

    Examples
    --------
    >>> import numpy as np, tessera
    >>> try:
    ...     tessera.corrupt(np.zeros((20, 20)), missing=2)
    ... except tessera.TesseraError as error:
    ...     print(isinstance(error, ValueError))
    True
    """


class InputError(TesseraError, ValueError):
    """Arguments or data that cannot be used."""


# TesseraError of the header.
_USAGE, _INPUT, _LIMIT, _CANCELLED, _MEMORY = 2, 3, 4, 5, 6


def _exception(code, message):
    if code == _MEMORY:
        return MemoryError(message)
    if code in (_USAGE, _INPUT, _LIMIT):
        return InputError(message)
    return TesseraError(message)


class Options(Structure):
    """A struct of options, which begins with its size."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.size = sizeof(self)


class Matrix(Structure):
    _fields_ = [("data", c_void_p), ("type", c_int), ("rows", c_int),
                ("columns", c_int), ("row_stride", c_ssize_t),
                ("column_stride", c_ssize_t)]


class Pixels(Structure):
    _fields_ = [("data", c_void_p), ("type", c_int),
                ("row_stride", c_ssize_t), ("pixel_stride", c_ssize_t),
                ("channel_stride", c_ssize_t)]


class ReadOptions(Options):
    _fields_ = [("size", c_size_t), ("max_pixels", c_size_t),
                ("max_side", c_int), ("max_scans", c_int),
                ("max_metadata", c_size_t), ("lenient", c_int),
                ("page", c_size_t)]


FORMAT_PNG = 1


class WriteOptions(Options):
    _fields_ = [("size", c_size_t), ("format", c_int),
                ("jpeg_quality", c_int)]


class FindOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("kinds", c_char_p),
                ("strength", c_double)]


class Area(Structure):
    _fields_ = [("x", c_int), ("y", c_int), ("width", c_int),
                ("height", c_int)]


class RestoreOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("quality", c_int),
                ("dictionary", c_void_p), ("noise", c_int),
                ("sigma", c_double), ("paper_protocol", c_int),
                ("fill", c_int), ("seed", c_uint64), ("strength", c_double),
                ("grain", c_double), ("area", Area),
                ("see_through", c_int), ("grow", c_int),
                ("fading", c_int)]


class DamageOptions(Options):
    _fields_ = [("size", c_size_t), ("missing", c_double),
                ("block_side", c_int), ("block_count", c_int),
                ("noise", c_double), ("seed", c_uint64)]


class ScoreReport(Options):
    _fields_ = [("size", c_size_t), ("psnr", c_double), ("ssim", c_double),
                ("psnr_masked", c_double), ("pixels", c_size_t),
                ("masked_pixels", c_size_t), ("ms_ssim", c_double)]


class PursuitOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("max_atoms", c_int),
                ("max_error", c_double), ("ridge", c_void_p)]


class CodesStruct(Structure):
    _fields_ = [("capacity", c_int), ("counts", c_void_p),
                ("indices", c_void_p), ("values", c_void_p)]


# What learning starts from.
START_DATA, START_GIVEN = 3, 6


class LearnOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("algorithm", c_char_p),
                ("patch", c_int), ("channels", c_int), ("length", c_int),
                ("atoms", c_int), ("start_kind", c_int), ("start", c_void_p),
                ("iterations", c_int), ("tolerance", c_double),
                ("threshold", c_double), ("density", c_double),
                ("shrink", c_double), ("noise_floor", c_double),
                ("window", c_int), ("stride", c_int), ("rate", c_double),
                ("atoms_per_sample", c_int), ("exact_update", c_int),
                ("textbook", c_int), ("seed", c_uint64),
                ("max_patches", c_size_t), ("step", c_int),
                ("hidden", c_double), ("predict_atoms", c_int),
                ("first_samples", c_int)]


class TaskOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("task", c_char_p),
                ("start", c_void_p), ("patch", c_int), ("channels", c_int),
                ("separate", c_int), ("iterations", c_int), ("batch", c_int),
                ("rate", c_double), ("max_patches", c_size_t),
                ("seed", c_uint64)]


class ConvolutionalOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("task", c_char_p),
                ("patch", c_int), ("channels", c_int), ("spacing", c_int),
                ("atoms", c_int), ("rounds", c_int), ("sets", c_int),
                ("levels", c_int), ("crop", c_int), ("batch", c_int),
                ("iterations", c_int), ("rate", c_double),
                ("seed", c_uint64)]


class TransformOptions(Options):
    _fields_ = [("size", c_size_t), ("progress", Progress),
                ("progress_data", c_void_p), ("task", c_char_p),
                ("start", c_void_p), ("patch", c_int), ("channels", c_int),
                ("spacing", c_int), ("rounds", c_int), ("crop", c_int),
                ("batch", c_int), ("iterations", c_int), ("rate", c_double),
                ("rotation", c_double), ("seed", c_uint64)]


class LearnStatus(Options):
    _fields_ = [("size", c_size_t), ("iterations", c_int),
                ("samples", c_size_t), ("objective", c_double),
                ("density", c_double), ("threshold", c_double),
                ("change", c_double)]


_ERROR = POINTER(POINTER(GError))
_P = c_void_p

# name: result, arguments.  Those that can fail end with _ERROR.
_FUNCTIONS = {
    "version": (c_char_p,),
    "free": (None, _P),
    "context_new": (_P, c_int),
    "context_free": (None, _P),
    "image_new": (_P, c_int, c_int, c_int, c_int, _ERROR),
    "image_read": (_P, c_char_p, _P, _ERROR),
    "image_write": (c_int, _P, c_char_p, _P, _ERROR),
    "image_write_pages": (c_int, POINTER(_P), c_int, c_char_p, _P, _ERROR),
    "image_encode": (_P, _P, POINTER(WriteOptions), POINTER(c_size_t),
                     _ERROR),
    "image_pages": (c_int, _P),
    "image_free": (None, _P),
    "image_width": (c_int, _P),
    "image_height": (c_int, _P),
    "image_channels": (c_int, _P),
    "image_depth": (c_int, _P),
    "image_get_pixels": (c_int, _P, POINTER(Pixels), _ERROR),
    "image_set_pixels": (c_int, _P, POINTER(Pixels), _ERROR),
    "mask_new": (_P, c_int, c_int, _ERROR),
    "mask_free": (None, _P),
    "mask_get": (None, _P, _P, c_ssize_t),
    "mask_set": (None, _P, _P, c_ssize_t),
    "mask_to_image": (_P, _P, _ERROR),
    "find_damage": (_P, _P, _P, POINTER(FindOptions), _ERROR),
    "noise_level": (c_double, _P, _P, _P, _ERROR),
    "restore": (c_int, _P, _P, _P, POINTER(RestoreOptions), _P, _ERROR),
    "damage": (_P, _P, POINTER(DamageOptions), POINTER(c_void_p), _ERROR),
    "score": (c_int, _P, _P, _P, POINTER(ScoreReport), _ERROR),
    "dictionary_read": (_P, c_char_p, _ERROR),
    "dictionary_write": (c_int, _P, c_char_p, _ERROR),
    "dictionary_decode": (_P, c_char_p, c_size_t, _ERROR),
    "dictionary_encode": (_P, _P, POINTER(c_size_t), _ERROR),
    "dictionary_mosaic": (_P, _P, c_int, _ERROR),
    "dictionary_dct": (_P, c_int, c_int, _ERROR),
    "dictionary_learned": (_P,),
    "dictionary_from_atoms": (_P, POINTER(Matrix), c_int, c_int, _ERROR),
    "dictionary_free": (None, _P),
    "dictionary_patch": (c_int, _P),
    "dictionary_channels": (c_int, _P),
    "dictionary_atoms": (c_int, _P),
    "dictionary_algorithm": (c_char_p, _P),
    "dictionary_get_atoms": (c_int, _P, POINTER(Matrix), _ERROR),
    "pursuit_new": (_P, _P, POINTER(Matrix), _ERROR),
    "pursuit_free": (None, _P),
    "pursuit_encode": (c_int, _P, POINTER(Matrix), POINTER(Matrix),
                       POINTER(PursuitOptions), POINTER(CodesStruct), _ERROR),
    "learner_new": (_P, _P, POINTER(LearnOptions), _ERROR),
    "learner_free": (None, _P),
    "learner_feed": (c_int, _P, POINTER(Matrix), _ERROR),
    "learner_done": (c_int, _P),
    "learner_finish": (c_int, _P, _ERROR),
    "learner_status": (c_int, _P, POINTER(LearnStatus), _ERROR),
    "learner_get_atoms": (c_int, _P, POINTER(Matrix), _ERROR),
    "algorithm_name": (c_char_p, c_int),
    "learn_from_files": (_P, _P, POINTER(c_char_p), c_size_t,
                         POINTER(LearnOptions), _ERROR),
    "learn_for_task": (_P, _P, POINTER(c_char_p), c_size_t,
                       POINTER(TaskOptions), _ERROR),
    "learn_convolutional": (_P, _P, POINTER(c_char_p), c_size_t,
                            POINTER(ConvolutionalOptions), _ERROR),
    "learn_transform": (_P, _P, POINTER(c_char_p), c_size_t,
                        POINTER(TransformOptions), _ERROR),
}

for _name, (_result, *_arguments) in _FUNCTIONS.items():
    _function = getattr(lib, "tessera_" + _name)
    _function.restype = _result
    _function.argtypes = _arguments


def version() -> str:
    """The version of the library that is running.

    Returns
    -------
    str

    Examples
    --------
    >>> import tessera
    >>> tessera.version() == tessera.__version__
    True
    """
    return lib.tessera_version().decode()


def call(name, *arguments, watch=None, owner=None):
    """Calls a function that can fail; raises what it reports, or what was
    raised while @watch watched.  A result that @owner_free frees becomes a
    Handle."""
    error = POINTER(GError)()
    function = getattr(lib, "tessera_" + name)
    with watch.over_signals() if watch is not None else nullcontext():
        result = function(*arguments, byref(error))
    if owner is not None:
        result = Handle(result, owner)
    failure = None
    if error:
        failure = _exception(error.contents.code,
                             error.contents.message.decode())
        _glib.g_error_free(error)
    if watch is not None:
        watch.finish()
    if failure is not None:
        raise failure
    return result


def call_for_bytes(name, *arguments):
    """Calls a function that returns memory and its size."""
    size = c_size_t()
    memory = call(name, *arguments, byref(size))
    data = ctypes.string_at(memory, size.value)
    lib.tessera_free(memory)
    return data


def check_file(path):
    """Raises what Python raises for a file that cannot be opened."""
    open(path, "rb").close()


class Watch:
    """Progress that stops the work when @function(fraction done), or the
    handler of a signal, such as that of Ctrl-C, raises an exception.

    Python runs handlers wherever it is, which may be in the callback before
    its first line; what they raise there is lost, since there is C around it.
    So while the library works, signals are only noted, and their handlers run
    where an exception can be caught.
    """

    def __init__(self, function=None):
        self._function = function
        self._handlers = {}  # by signal
        self._noted = []     # signals whose handlers have not run
        self._direct = False
        self._raised = None
        self.callback = Progress(self._step)

    def _note(self, number, frame):
        if self._direct:
            self._handlers[number](number, frame)
        else:
            self._noted.append((number, frame))

    def _run_handlers(self):
        while self._noted:
            number, frame = self._noted.pop(0)
            self._handlers[number](number, frame)

    def _step(self, done, _):
        try:
            self._direct = True
            self._run_handlers()
            if self._function is not None:
                self._function(done)
            self._direct = False
            return 1
        except BaseException as exception:  # raised again by finish()
            self._direct = False
            self._raised = self._raised or exception
            return 0

    @contextmanager
    def over_signals(self):
        """Notes the signals that come meanwhile.  Only the main thread gets
        any."""
        with ExitStack() as stack:
            if threading.current_thread() is threading.main_thread():
                for number in signal.valid_signals():
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        stack.callback(signal.signal, number, handler)
                        signal.signal(number, self._note)
            yield

    def finish(self):
        """Raises what was raised meanwhile."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        self._run_handlers()


class Handle:
    """A pointer of the library, and the function that frees it.

    It is passed to functions itself, so that it lives as long as the call.
    """

    def __init__(self, pointer, free):
        self.pointer = pointer
        self._free = getattr(lib, f"tessera_{free}_free")

    @property
    def _as_parameter_(self):
        return self.pointer

    def __del__(self):
        if self.pointer:
            self._free(self.pointer)
            self.pointer = None


_contexts = {}


def context(threads):
    """The threads that do the work; 0 is one per core."""
    if threads not in _contexts:
        _contexts[threads] = Handle(lib.tessera_context_new(threads),
                                    "context")
    return _contexts[threads]


TYPES = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2,
         np.dtype(np.float32): 3, np.dtype(np.float64): 4}


def matrix_of_rows(array):
    """A Matrix whose columns are the rows of @array, which must outlive it."""
    return Matrix(array.ctypes.data, TYPES[array.dtype], array.shape[1],
                  array.shape[0], array.strides[1], array.strides[0])
