const GROUPS = 8
/** Of them a customer's network has the same ones. */
const GROUPS_OF_A_NETWORK = 4

/**
 * Whom an address belongs to, as far as it shows: an IPv4 address stands for itself, also where it is written as an
 * IPv6 one; of IPv6 a customer has a /64 network at the least, and thus all the addresses in it.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  if (ipv4 !== undefined || !bare.includes(':')) return ipv4 ?? bare
  const [front = [], back = []] = bare.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const between = Math.max(0, GROUPS - front.length - back.length)
  return [...front, ...Array<string>(between).fill('0'), ...back]
    .slice(0, GROUPS_OF_A_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
