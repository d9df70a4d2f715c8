import { randomInt } from "node:crypto";

/** The tag that is a run's name. */
export const nameTag = "mlflow.runName";

const first = `able amused bold brave bright calm clean clever crisp curious eager fair fierce fine
  gentle glad grand happy honest keen kind legible lively loud lucky merry mighty neat nimble nosy
  open placid polite popular proud quick quiet rare rebellious resilient rich secretive selective
  serious silent sincere smiling stately strong tasteful thoughtful traveling unique upbeat useful
  valuable vaunted welcoming wise worried`.split(/\s+/);
const second = `ant auk bass bat bear bee bird bug calf carp cat chimp cod colt conch cow crab crane
  croc crow cub deer doe dog dolphin donkey dove duck eel elk fawn finch fish flea fly foal fowl fox
  frog gnat goat goose grouse grub gull hare hawk hen hog horse hound jay kit koi lamb lark loon lynx
  mare midge mink mole moose moth mouse mule newt owl ox panda perch pig pug quail ram rat ray robin
  roo rook seal shad shark sheep shoat shrew shrike shrimp skink skunk sloth slug smelt snail snake
  snipe sow sponge squid squirrel stag steed stoat stork swan tern toad trout turtle vole wasp whale
  wolf worm wren yak zebra`.split(/\s+/);

/** Returns a name for runs without one: two words and a number, as MLflow's server makes them. */
export function randomName(): string {
  const word = (words: readonly string[]) => words[randomInt(words.length)];
  return `${word(first)}-${word(second)}-${randomInt(1_000)}`;
}
