# data.mk - pictures to experiment with, and the built-in dictionaries; see the
# Makefile

# How the dictionaries inside the library were learned.
LEARNED := data/dictionaries/learned.safetensors
CONVOLUTIONAL := data/dictionaries/convolutional.safetensors
NOISE := data/dictionaries/noise.safetensors
# The convolutional one first learns to remove noise too, and in the end from
# portraits and scenes: PHOTOGRAPHS are folders of these (data/SOURCES.md).
MISSING := missing:0.05-0.95,missing:0.3-0.9,channels:0.05-0.95,$\
channels:0.3-0.9,blocks:3-16,strokes:1-6
LEVELS := noise:2-75,noise:10-55
dictionary: all
	$(Q)sh data/standin.sh build/originals originals
	$(BUILD)/tessera learn build/originals --seed 1 --force -o $(LEARNED) \
	  --task missing:0.2-0.8,blocks:3-10 --coder separate \
	  --task-iterations 800
	$(BUILD)/tessera learn build/originals --algorithm convolutional \
	  --iterations 9000 --seed 1 --force -o build/first.safetensors
	$(BUILD)/tessera learn build/originals --algorithm convolutional \
	  --init build/first.safetensors --task $(MISSING) --iterations 8000 \
	  --rate 6e-4 --seed 2 --force -o build/landscapes.safetensors
	$(BUILD)/tessera learn build/originals $(PHOTOGRAPHS) \
	  --algorithm convolutional --init build/landscapes.safetensors \
	  --task $(MISSING) --iterations 12000 --rate 6e-4 --seed 3 --force \
	  -o $(CONVOLUTIONAL)
	$(BUILD)/tessera learn build/originals --algorithm convolutional \
	  --task $(LEVELS) --patch 8 --sets 1 --levels 1 --ground 6 \
	  --crop 40 --batch 6 --iterations 5500 --rate 3e-4 --seed 1 --force \
	  -o build/firstnoise.safetensors
	$(BUILD)/tessera learn build/originals --algorithm convolutional \
	  --init build/firstnoise.safetensors --task $(LEVELS) --patch 8 --sets 4 \
	  --levels 1 --ground 6 --crop 40 --batch 6 --iterations 6000 --rate 3e-4 \
	  --seed 2 --force -o $(NOISE)

# Programs that prepare data.
HALVE   := $(BUILD)/data/halve
FINDERS := $(BUILD)/data/finders/finders
$(HALVE): $(BUILD)/data/halve.o
$(FINDERS): $(call objects,$(wildcard data/finders/*.c))
$(HALVE) $(FINDERS): $(BUILD)/data/photograph.o $(BUILD)/libtessera.a
	@echo "  link $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# How the finders of damage learned.  Spots are what the trees before them let
# through, so the program is made anew.  The network takes an hour and needs
# Debian's python3-torch and python3-opencv.
finders: $(FINDERS)
	$(Q)sh data/standin.sh build/originals originals
	$(Q)python3 data/finders/everyday.py build/everyday
	$(Q)mkdir -p build/photographs
	$(Q)cp build/originals/*.jpg build/everyday/*.png build/photographs
	python3 data/finders/specknet.py data/finders/dust.safetensors \
	  build/originals build/everyday
	for kind in dust flats scratches spots likely; do $(MAKE) $(FINDERS) && \
	  $(FINDERS) $$kind build/$$(test $$kind = likely && echo photographs || \
	  echo originals) >$(BUILD)/$$kind.trees && \
	  mv $(BUILD)/$$kind.trees imaging/detect || exit 1; done

# Learns the network that finds damage, for several hours on two cores:
# PHOTOGRAPHS are folders of more pictures without damage, FILM one of shapes of
# damage (data/SOURCES.md).  What was learned so far is kept in CHECKPOINT.1 and
# CHECKPOINT.2: first with normalised layers, then without, more slowly.
STEPS = 36000
MORE_STEPS = 16000
CHECKPOINT = build/damage
LEARN_DETECTOR = python3 data/detector/learn.py \
  --photographs build/originals build/everyday $(PHOTOGRAPHS) --film $(FILM)
detector:
	$(if $(FILM),,$(error FILM is the folder of shapes of damage: see data/SOURCES.md))
	$(Q)sh data/standin.sh build/originals originals
	$(Q)python3 data/finders/everyday.py build/everyday
	$(LEARN_DETECTOR) build/first.safetensors --steps $(STEPS) \
	  --checkpoint $(CHECKPOINT).1
	$(LEARN_DETECTOR) data/detector/damage.safetensors --steps $(MORE_STEPS) \
	  --init build/first.safetensors --checkpoint $(CHECKPOINT).2 --seed 11

# Landscape pictures for experiments; downloads 70 MB.
data: $(HALVE)
	$(Q)HALVE=$(HALVE) sh data/standin.sh build/landscape

# A report with blocks and noise, too; see docs/comparing.md.
comparison: all data
	$(BUILD)/tessera compare build/landscape --force -o build/comparison \
	  --algorithms dct,online,online-paper,ksvd,ksvd-paper,tessera \
	  --damage missing:0.5,blocks:10x36,noise:25
