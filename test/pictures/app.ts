import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildApp } from '../../webapp/build.ts'
import { INVITATION, startFront } from '../browser/app-front.ts'
import { HUT, pressThrice } from '../browser/app-page.ts'
import { openBrowser } from '../harness/browser.ts'
import { endAll } from '../harness/last-first.ts'
import { signedIn } from '../harness/signed-in.ts'
import { startSite } from '../harness/site.ts'

/** `bin/node test/pictures/app.ts` makes the pictures of docs/app.md anew. */

const DIRECTORY = fileURLToPath(new URL('../../docs/app/', import.meta.url))
const ends: (() => unknown)[] = []
const closes = { after: (end: () => unknown) => void ends.push(end) }

await mkdir(DIRECTORY, { recursive: true })
await buildApp()
const site = await startSite(closes, { now: Date.now() })
const user = await site.newUser('walker-1').introduce({ name: 'Mia Moser' })
for (const [at, name] of ['Ana', 'Georg'].entries())
  await user.rest('POST', '/v1/sdk/contacts', { name, phone: `+4366011100${10 + at}` })
const front = await startFront(closes, {
  service: () => site.service.listeners.http!,
  app: { ...HUT, name: 'Höllentalhütte', emergencyNumber: '140' },
  enrolled: { userId: 'walker-1', credential: user.hash },
  kind: 'device',
})
const browser = await openBrowser()
ends.push(() => browser.close())
const context = await browser.newContext({ viewport: { width: 390, height: 720 }, locale: 'en-GB' })
const page = await context.newPage()
const picture = (name: string) => page.screenshot({ path: join(DIRECTORY, `${name}.png`) })
const headline = (text: string) => page.locator('.headline').filter({ hasText: text }).waitFor()

await page.goto(`${front.url}/app/join#${INVITATION}`)
await page.getByRole('button', { name: 'Set up this phone' }).click()
await page.getByRole('button', { name: 'Later' }).click()
await page.getByRole('button', { name: 'Later' }).click()
await page.getByText('Connection checked').waitFor()
await picture('home')
front.isDown = true
await pressThrice(page)
await page.getByText('No connection').waitFor()
await page.getByRole('button', { name: 'Take back', disabled: false }).waitFor()
await picture('not-yet')
front.isDown = false
await page.evaluate("dispatchEvent(new Event('online'))")
await headline('On the server')
await site.advance('15 s')
await page.getByText('Ana was sent an SMS').waitFor()
await picture('told')
await site.advance('40 s')
await page.getByText('Georg was sent an SMS').waitFor()
const sent = await site.service.store.outbox({ incidentId: null })
const [link = ''] = /\/t\/[\w-]+/.exec(sent.find(({ to }) => to === '+436601110010')!.text) ?? []
const contact = await context.newPage()
await contact.goto(site.service.listeners.http + link)
await contact.getByRole('button', { name: '10 min' }).click()
await page.emulateMedia({ colorScheme: 'dark' })
await headline('Ana is coming')
await page.getByRole('button', { name: 'I’m fine' }).waitFor()
await picture('coming-dark')
await page.emulateMedia({ colorScheme: 'light' })
const eva = await signedIn(site, 'Eva')
const { incidentId } = (await user.rest('GET', '/v1/sdk/sos')).body.incident
const writes = (id: string, text: string) => eva.ask('POST', `/incidents/${incidentId}/messages`, { id, text })
await writes('question', 'We see where you are. Can you walk?')
await page.getByText('Can you walk?').waitFor()
await page.getByRole('button', { name: 'Write a message' }).click()
await page.getByRole('button', { name: "I can't move" }).click()
await page.locator('.talk ol').getByText("I can't move").waitFor()
await writes('answer-1', 'The helicopter takes about 12 minutes.')
await page.getByText('The helicopter').waitFor()
await page.locator('.talk').screenshot({ path: join(DIRECTORY, 'talk.png') })
await endAll(ends)
process.exit(0)
