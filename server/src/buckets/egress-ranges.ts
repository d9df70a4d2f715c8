import { BlockList, isIP } from "node:net";

/**
 * Class of an address for a caller that may name any endpoint: `public` ones are allowed, `private`
 * ones only if the operator allows them, `forbidden` ones (link-local, metadata services,
 * multicast, reserved) never.
 */
export type AddressClass = "public" | "private" | "forbidden";

/**
 * Classifies a literal address. An IPv6 address that carries an IPv4 address (mapped, compatible,
 * NAT64, 6to4) has the class of the latter, because that is where the packets go.
 */
export function classify(address: string): AddressClass {
  const plain = innermost(address);
  const family = isIP(plain);
  if (family === 0) return "forbidden";
  const name = family === 4 ? "ipv4" : "ipv6";
  if (forbidden.check(plain, name)) return "forbidden";
  if (privateRanges.check(plain, name)) return "private";
  // Only 2000::/3 of IPv6 has been allocated so far: unknown addresses are refused.
  if (family === 6 && !globalUnicast.check(plain, "ipv6")) return "forbidden";
  return "public";
}

/** Returns address ranges in CIDR form. Throws on malformed ones. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

export function isWithin(list: BlockList, address: string): boolean {
  const plain = innermost(address);
  return list.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
}

/** Returns the IPv4 address inside an IPv6 one, else the address itself. */
export function innermost(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups === undefined) return "";
  const [first, second] = groups;
  const startsWith = (...expected: number[]) => expected.every((group, at) => groups[at] === group);
  const isEmbedding =
    startsWith(0, 0, 0, 0, 0, 0xffff) ||
    startsWith(0, 0, 0, 0, 0xffff, 0) ||
    startsWith(0x64, 0xff9b, 0, 0, 0, 0) ||
    (startsWith(0, 0, 0, 0, 0, 0) && !(groups[6] === 0 && groups[7] <= 1));
  if (isEmbedding) return dotted(groups[6], groups[7]);
  if (first === 0x2002) return dotted(second, groups[2]);
  return address;
}

/** Eight groups of 16 bits; undefined with a zone (`%eth0`), which no remote endpoint has. */
function groupsOf(address: string): number[] | undefined {
  const hostname = URL.parse(`http://[${address}]/`)?.hostname;
  if (hostname === undefined) return undefined;
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const numbers = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return numbers(head);
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

const forbidden = rangesOf([
  "0.0.0.0/8",
  "169.254.0.0/16", // link-local: the metadata service of most clouds
  "100.100.100.200/32", // metadata service of Alibaba Cloud
  "168.63.129.16/32", // host agent of Azure
  "192.0.0.0/24", // protocol assignments; metadata service of Oracle Cloud
  "192.0.2.0/24", // documentation, as the two below
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "::/128",
  "64:ff9b:1::/48", // NAT64 of a site: where it leads, only the site knows
  "100::/64", // discard
  "2001::/23", // Teredo and other protocol assignments
  "2001:db8::/32", // documentation
  "fd00:ec2::/32", // metadata service of AWS
  "fd20:ce::/32", // metadata service of Google Cloud
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
]);

const privateRanges = rangesOf([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "::1/128",
  "fc00::/7",
]);

const globalUnicast = rangesOf(["2000::/3"]);
