import type { Bar } from "./bar.ts";

function transfers(store: string, name: string): Bar[] {
  const share = (what: string, must: number, good: number): Bar => {
    return { name: `${what}, ${store}`, figure: `${name}${what} / raw store`, must, good };
  };
  return [
    share("push, transfer alone", 0.8, 0.95),
    share("pull, transfer alone", 0.8, 0.95),
    share("push", 0.5, 0.7),
    share("pull", 0.5, 0.7),
  ].map((bar) => ({ ...bar, name: `${bar.name} / raw store` }));
}

function signing(store: string): Bar[] {
  const cpu = (name: string, figure: string, must: number, good: number): Bar => {
    return { name, figure: `${store} ${figure}`, must, good, unit: "ms", isUpperBound: true };
  };
  return [
    cpu(`CPU of 10,000 addresses, ${store}`, "resign CPU ms", 200, 120),
    cpu(`CPU of begin with 10,000 parts, ${store}`, "begin CPU ms", 1_000, 200),
  ];
}

export const artifactBars: Bar[] = [
  ...transfers("built-in", ""),
  {
    name: "CPU of the service for a pushed byte / that of the raw store",
    figure: "push CPU s/GiB",
    floor: "raw put CPU s/GiB",
    must: 2,
    good: 1.4,
    isUpperBound: true,
  },
  {
    name: "CPU of the service for a pulled byte / that of the raw store",
    figure: "pull CPU s/GiB",
    floor: "raw get CPU s/GiB",
    must: 2.5,
    good: 1.6,
    isUpperBound: true,
  },
  {
    name: "push of 5,000 files of 1 KiB, built-in / raw store",
    figure: "push of 5,000 files / raw store",
    must: 0.2,
    good: 0.35,
  },
  ...transfers("radosgw", "radosgw "),
  ...signing("built-in"),
  ...signing("S3"),
  {
    name: "begin and commit of one part / their commits and syncs, built-in",
    figure: "begin and commit / its floor",
    must: 2,
    good: 1.3,
    isUpperBound: true,
  },
  {
    name: "begin and commit of one part / their commits and calls, S3 double",
    figure: "double begin and commit / its floor",
    must: 2,
    good: 1.5,
    isUpperBound: true,
  },
  {
    name: "begin and commit of one part / their commits and calls, radosgw",
    figure: "radosgw begin and commit / its floor",
    must: 1.5,
    good: 1.15,
    isUpperBound: true,
  },
  {
    name: "memory that 8 uploading clients add, built-in",
    figure: "8 clients RSS MiB",
    must: 64,
    good: 40,
    unit: "MiB",
    isUpperBound: true,
  },
  {
    name: "ingest p99 beside 8 uploading clients / alone",
    figure: "ingest p99 beside uploads / alone",
    must: 15,
    good: 5,
    isUpperBound: true,
  },
  {
    name: "ingest p99 / p99 of a bare sync, both beside 8 uploading clients",
    figure: "ingest p99 / sync p99, beside uploads",
    must: 4,
    good: 2,
    isUpperBound: true,
  },
];
