"""Self-play PPO for Tetka or Terz in one file, to be read from top to bottom and copied.

    python training/ppo_single_file.py --game tetka
    python training/ppo_single_file.py --game terz --decisions 4000000 --save policy.pt

All seats of B deals are played by one network. Four things are not as in PPO for one player:

- Illegal actions get a logit of -1e9 before the softmax, when playing and when learning.
- A seat's next state is its own next decision, whoever plays in between, so advantages are summed
  up along each seat's own decisions, and its reward is what the seat gets when the deal ends.
- A deal that the end of a roll-out cuts off has no result yet: its decisions so far are left out,
  and it is played on in the next roll-out.
- A turn with one legal action is played, but nothing is to be learned from it.

Every twentieth iteration the policy plays against random players and the rule player `greedy`.
Terz: points a deal more than the opponent. Tetka: marks a deal, of which 1.75 are par.
"""

import argparse
import time
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from terz_env import SelfPlayBatch, expand_bits, load_player
from terz_env.evaluation.matches import duplicate_match
from terz_env.players import Decisions


@dataclass
class Args:
    """What a run depends on; every field is an option of the command line."""

    game: str = "tetka"
    """terz or tetka"""
    seed: int = 1
    """of the deals, the network and the sampling"""
    decisions: int = 2_000_000
    """that are learned from, all seats together"""
    rows: int = 256
    """deals that are played side by side"""
    steps: int = 104
    """plays in each row between two updates; a deal of Tetka has 52, one of Terz 32 and more"""
    hidden: int = 256
    """width of the two hidden layers"""
    epochs: int = 3
    """passes over the decisions of a roll-out"""
    minibatch: int = 1024
    """decisions a gradient step"""
    learning_rate: float = 1e-3
    """at the beginning; it falls linearly to zero"""
    clip: float = 0.2
    """how far the probability ratio may leave 1"""
    lambda_: float = 0.95
    """the share of the longer estimates of the advantage"""
    entropy: float = 0.01
    """weight of the entropy"""
    value: float = 0.5
    """weight of the squared error of the value"""
    longest_gradient: float = 1.0
    """gradients are cut to this norm"""
    evaluate_every: int = 20
    """iterations between two evaluations"""
    deals: int = 500
    """deals of an evaluation, each played in every seating"""
    threads: int = 1
    """of torch"""
    save: str = ""
    """a file for the weights"""


REWARD_SCALES = {"terz": 1.0, "tetka": 0.25}  # brings results near a standard deviation of 1
FORBIDDEN = -1e9


class Network(nn.Module):
    """Logits of all actions and the expected result of the seat to act."""

    def __init__(self, n_entries: int, n_actions: int, hidden: int) -> None:
        super().__init__()
        self.n_entries = n_entries
        self.trunk = nn.Sequential(
            nn.Linear(n_entries, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy = nn.Linear(hidden, n_actions)
        self.value = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.policy.weight, gain=0.01)
        nn.init.orthogonal_(self.value.weight, gain=0.1)

    def forward(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> tuple[Tensor, Tensor]:
        """Masked log-probabilities (N, A) and values (N,) of packed observations."""
        hidden = self.trunk(torch.from_numpy(expand_bits(bits, self.n_entries)))
        logits = self.policy(hidden).masked_fill(torch.from_numpy(masks == 0), FORBIDDEN)
        return torch.log_softmax(logits, dim=1), self.value(hidden).squeeze(1)


class NetworkPlayer:
    """The network's most probable action, as a player that `terz_env` can seat."""

    name = "network"

    def __init__(self, network: Network, game: str) -> None:
        self.network, self.game = network, game

    @torch.inference_mode()
    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """One legal action for each decision (N,)."""
        log_policy, _ = self.network(decisions.bits, decisions.masks)
        actions: NDArray[np.int64] = log_policy.argmax(dim=1).numpy()
        return actions


def evaluate(network: Network, game: str, deals: int) -> str:
    """The results against two players, on the same deals every time."""
    found = []
    for opponent in ("random", "greedy"):
        player = NetworkPlayer(network, game)
        result = duplicate_match(player, load_player(opponent), game, deals, seed=1_000_001)
        found.append(f"{opponent} {result.mean:.2f} ± {result.half_width:.2f}")
    return ", ".join(found)


def train(args: Args) -> Network:
    """Plays and learns until the budget is spent."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    # The batch deals anew by itself. Its arrays are overwritten by every step, so we keep copies.
    batch = SelfPlayBatch(args.game, args.rows, seed=args.seed)
    n_seats, n_actions, n_words = batch.rewards.shape[1], batch.masks.shape[1], batch.bits.shape[1]
    network = Network(batch.game.layout.n_entries, n_actions, args.hidden)
    optimiser = torch.optim.Adam(network.parameters(), eps=1e-5)

    T, B = args.steps, args.rows
    every_row = np.arange(B)
    bits = np.zeros((T, B, n_words), np.uint64)
    masks = np.zeros((T, B, n_actions), np.int8)
    seats = np.zeros((T, B), np.int64)
    actions = np.zeros((T, B), np.int64)
    log_probabilities = np.zeros((T, B), np.float32)
    values = np.zeros((T, B), np.float32)
    rewards = np.zeros((T, B, n_seats), np.float32)
    ends = np.zeros((T, B), np.bool_)
    advantages = np.zeros((T, B), np.float32)
    complete = np.zeros((T, B), np.bool_)

    learned, iteration, began = 0, 0, time.perf_counter()
    print(f"{args.game}, untrained: {evaluate(network, args.game, args.deals)}", flush=True)
    while learned < args.decisions:
        # 1. Play T steps in every row. A sample of the policy is the first of exponential clocks
        #    that run at its rates, which is faster than torch.multinomial.
        for t in range(T):
            bits[t], masks[t], seats[t] = batch.bits, batch.masks, batch.seats
            with torch.inference_mode():
                log_policy, value = network(batch.bits, batch.masks)
                clocks = torch.empty_like(log_policy).exponential_()
                action = (log_policy - clocks.log()).argmax(dim=1)
                played = log_policy.gather(1, action[:, None]).squeeze(1)
            actions[t], values[t], log_probabilities[t] = action, value, played
            batch.step(actions[t])
            rewards[t], ends[t] = batch.rewards, batch.ends
        rewards *= REWARD_SCALES[args.game]

        # 2. Advantages, from the last step back (arXiv 1506.02438, eq. 16, with gamma 1). For each
        #    seat of each row we carry what its next decision expects, or what it was paid.
        is_known = np.zeros(B, np.bool_)
        expected = np.zeros((B, n_seats), np.float32)
        carried = np.zeros((B, n_seats), np.float32)
        for t in reversed(range(T)):
            ended = ends[t]
            is_known |= ended
            expected[ended] = rewards[t, ended]
            carried[ended] = 0
            seat = seats[t]
            surprise = expected[every_row, seat] - values[t]
            advantages[t] = surprise + args.lambda_ * carried[every_row, seat]
            complete[t] = is_known
            expected[every_row, seat] = values[t]
            carried[every_row, seat] = advantages[t]

        # 3. Take the decisions of complete deals that were a choice, in one long row.
        chosen = complete & (masks.sum(axis=2) > 1)
        b_bits, b_masks = bits[chosen], masks[chosen]
        b_actions = torch.from_numpy(actions[chosen])
        b_log_probabilities = torch.from_numpy(log_probabilities[chosen])
        b_targets = torch.from_numpy(advantages[chosen] + values[chosen])
        b_advantages = advantages[chosen]
        b_advantages = torch.from_numpy(
            (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
        )
        count = len(b_bits)

        # 4. Learn from them in a few epochs of shuffled minibatches (arXiv 1707.06347, eq. 7).
        left = max(0.0, 1 - learned / args.decisions)
        optimiser.param_groups[0]["lr"] = args.learning_rate * left
        for _ in range(args.epochs):
            for part in np.array_split(rng.permutation(count), max(1, count // args.minibatch)):
                log_policy, value = network(b_bits[part], b_masks[part])
                log_ratio = (
                    log_policy.gather(1, b_actions[part, None]).squeeze(1)
                    - b_log_probabilities[part]
                )
                ratio = log_ratio.exp()
                advantage = b_advantages[part]
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                gain = torch.minimum(ratio * advantage, clipped * advantage).mean()
                entropy = -(log_policy.exp() * log_policy).sum(dim=1).mean()
                value_loss = nn.functional.mse_loss(value, b_targets[part])
                loss = args.value * value_loss - gain - args.entropy * entropy
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.longest_gradient)
                optimiser.step()

        learned, iteration = learned + count, iteration + 1
        if iteration % args.evaluate_every == 0 or learned >= args.decisions:
            kl = (ratio - 1 - log_ratio).mean().item()  # of the last minibatch
            seconds = time.perf_counter() - began
            print(
                f"{learned:>10,} decisions, {learned / seconds:>7,.0f}/s, "
                f"entropy {entropy.item():.2f}, KL {kl:.4f}, value loss {value_loss.item():.3f}: "
                f"{evaluate(network, args.game, args.deals)}",
                flush=True,
            )
    if args.save:
        torch.save(network.state_dict(), args.save)
    return network


def parse(words: list[str] | None = None) -> Args:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for field in fields(Args):
        name = "--" + field.name.strip("_").replace("_", "-")
        parser.add_argument(
            name,
            dest=field.name,
            type=type(field.default),
            default=field.default,
            choices=sorted(REWARD_SCALES) if field.name == "game" else None,
        )
    return Args(**vars(parser.parse_args(words)))


if __name__ == "__main__":
    train(parse())
