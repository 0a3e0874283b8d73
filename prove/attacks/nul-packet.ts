import { alertTopic } from '../../bench/load/frames.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import { attackPart } from './under-attack.ts'

const PAYLOAD_BYTES = 64 * 1024 - 200
const MAX_PACKETS = 100

/** The worst input for a quadratic regular expression. */
export const nulPacket = attackPart({
  name: 'nul-packet',
  what: 'packets of 64 KB, NULs and one letter behind them, one after the other from one connection',
  async run({ site, over }) {
    const a = await site.user('a')
    const payload = `${'\0'.repeat(PAYLOAD_BYTES - 1)}x`
    let packets = 0
    while (!over.aborted && packets < MAX_PACKETS) {
      const phone = await Phone.connect(Number(new URL(site.mqtt).port), identityOf(a))
      const sent = phone.publish(alertTopic(a.userId), payload)
      packets += 1
      await sent.catch(() => {})
      phone.close()
    }
    return `${packets} packets`
  },
})
