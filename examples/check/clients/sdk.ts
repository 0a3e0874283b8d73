import { createInterface } from 'node:readline'
import { Tocsin } from '@tocsin/sdk'

/** The SDK as a client of `examples/check`: `press {…}` and `cancel` on its input. */

const { TOCSIN_URL, TOCSIN_APP_ID, TOCSIN_USER_ID, TOCSIN_USER_HASH, TOCSIN_USER_HASH_URL, TOCSIN_STORE } = process.env

let given = TOCSIN_USER_HASH
const tocsin = new Tocsin({
  url: TOCSIN_URL!,
  appId: TOCSIN_APP_ID!,
  userId: TOCSIN_USER_ID!,
  storage: TOCSIN_STORE!,
  position: () => null,
  async userHash() {
    const hash = given ?? (await (await fetch(TOCSIN_USER_HASH_URL!)).text())
    given = undefined
    return hash
  },
})

const words = {
  kept: 'kept',
  onServer: 'on the server',
  alerted: 'contacts alerted',
  coming: 'help is coming',
  over: 'over',
}

async function show(alarm: Awaited<ReturnType<typeof tocsin.sos.press>>): Promise<void> {
  for await (const { step, helpers } of alarm)
    console.log(words[step], ...helpers.map(({ name, eta }) => `${name}, ${eta ?? '?'} min`))
}

tocsin.sos.watch(() => {})
for (const alarm of await tocsin.sos.alarms()) void show(alarm)
for await (const line of createInterface(process.stdin)) {
  const [command, ...rest] = line.split(' ')
  if (command === 'press') void show(await tocsin.sos.press(JSON.parse(rest.join(' ') || '{}')))
  if (command === 'cancel') for (const alarm of await tocsin.sos.alarms()) await alarm.cancel()
}
