/* learners.h - the rows of the table of learners, one file each */
#pragma once

#include "dictlearn/learner.h"

extern const LearnerClass learner_online;     /* online.c */
extern const LearnerClass learner_minibatch;  /* minibatch.c */
extern const LearnerClass learner_orthogonal; /* orthogonal.c */
extern const LearnerClass learner_ksvd;       /* ksvd.c */
extern const LearnerClass learner_mod;        /* mod.c */
extern const LearnerClass learner_gradient;   /* gradient.c */
extern const LearnerClass learner_l4;         /* l4.c */
