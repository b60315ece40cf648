"""One thread for torch: spinning threads slow a shared machine down."""

import torch

torch.set_num_threads(1)
