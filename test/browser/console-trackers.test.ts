import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { APP_ID, idOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { axeFindings, consoleBrowser } from './console-page.ts'
import { handedOver } from './fake-trackers.ts'
import { qrIn } from './read-qr.ts'

suite('the console in a browser: trackers and people', needsBrowser, () => {
  const { open } = consoleBrowser()

  test('a tracker gets a token, whose codes read as its links, and nothing of it stays', async (t) => {
    const { page, api } = await open(t, { at: '#/devices', dark: true, width: 320 })
    await page.getByRole('link', { name: 'A84041FFFF9999' }).click()
    await page.getByText('Nobody has paired it').waitFor()
    api.state.asksAgain = true
    await page.getByLabel('Owner (external id)').fill('user-0')
    await page.keyboard.press('Enter')
    // Somebody who walks away from the question has asked for nothing.
    await page.getByRole('dialog').getByText('Is it still you?').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goForward()
    await page.getByLabel('Owner (external id)').fill('user-0')
    await page.keyboard.press('Enter')
    await page.getByLabel('Password or code').fill('123 456')
    await page.keyboard.press('Enter')
    await page.getByText('Shown only once').waitFor()
    assert.deepEqual(api.state.changes, [['token', 'A84041FFFF9999', 'user-0']])

    const { token, traccar, ownTracks, ownTracksMqtt } = handedOver(1)
    for (const [app, link] of [
      ['Traccar Client', traccar],
      ['OwnTracks', ownTracks],
      ['OwnTracks over MQTT', ownTracksMqtt],
    ] as const) {
      await page.getByLabel('App or tracker').selectOption(app)
      assert.equal(await qrIn(page, `QR code for ${app}`), link)
      assert.equal(await page.locator('.qr').count(), 1, 'a camera takes whichever it sees')
    }
    await page.getByLabel('App or tracker').selectOption('Manual set-up')
    assert.deepEqual(await axeFindings(page), [])
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320)
    assert.equal(await page.locator(`a[href*="${token}"]`).count(), 0)
    const kept = 'location.href + JSON.stringify([localStorage, sessionStorage, history.state])'
    assert.ok(!(await page.evaluate<string>(kept)).includes(token))
    const holds = async (secret: string) => (await page.content()).includes(secret)
    assert.ok(await holds(token))
    await page.goBack()
    await page.getByText('TrackerD').waitFor()
    assert.equal(await holds(token), false)
    await page.goForward()
    await page.getByText('It has had a token since').waitFor()
    assert.equal(await holds(token), false)

    await page.getByRole('button', { name: 'Create a new token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The current one stops working at once').waitFor()
    await dialog.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    assert.ok(await holds(handedOver(2).token))
    await page.getByText('It works: the tracker has reported.').waitFor()
    // As when the browser keeps the page to go back to.
    await page.evaluate("dispatchEvent(new Event('pagehide'))")
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    assert.equal(await holds(handedOver(2).token), false)

    await page.getByRole('button', { name: 'Revoke the token' }).click()
    await dialog.getByRole('button', { name: 'Revoke the token' }).click()
    await page.getByText('It has no token.').waitFor()
    assert.deepEqual(api.state.changes.slice(1), [
      ['token', 'A84041FFFF9999', null],
      ['revoke', 'A84041FFFF9999'],
    ])
  })

  test('a token that is left on the screen goes after five minutes, and with the session', async (t) => {
    const { page, api } = await open(t, { at: `#/device/${APP_ID}/A84041FFFF1234` })
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByText('Shown only once').waitFor()
    await page.clock.fastForward(4 * 60_000)
    assert.equal(await page.locator('.qr').count(), 1)
    await page.clock.fastForward(61_000)
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    assert.equal(await page.locator('.qr').count(), 0)

    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    // Another administrator replaces it.
    const named = { applicationId: APP_ID, hardwareId: 'A84041FFFF1234' }
    await page.request.post(`${new URL(api.url).origin}/v1/operator/devices/token`, { data: named })
    await page.clock.fastForward(10_000)
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    api.state.endsAt = '/devices/watch'
    await page.getByLabel('Warn', { exact: true }).selectOption('Never')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your session has ended').waitFor()
    assert.equal(await page.locator('.qr').count(), 0)
    assert.ok(!(await page.content()).includes(handedOver(4).token))
  })

  test('a tracker’s own interval is set and taken back, and one that makes no sense is not sent', async (t) => {
    const { page, api } = await open(t, { at: `#/device/${APP_ID}/A84041FFFF1234` })
    const panel = page.getByRole('region', { name: 'When it falls silent' })
    const warn = panel.getByLabel('Warn', { exact: true })
    const save = panel.getByRole('button', { name: 'Save' })
    await warn.selectOption('After a time of its own')
    await panel.getByLabel('How long').fill('31')
    await panel.getByLabel('Unit').selectOption('days')
    assert.ok(await save.isDisabled())
    await panel.getByLabel('Unit').selectOption('hours')
    await panel.getByLabel('How long').fill('6')
    await save.click()
    await panel.getByText('Saved.').waitFor()
    await warn.selectOption('Same as its application: Never')
    await save.click()
    await panel.getByText('Saved.').waitFor()
    // One wrong click would leave somebody without help.
    await page.evaluate("location.hash = '#/devices'")
    const unpair = page.getByRole('button', { name: 'Unpair: A84041FFFF1234' })
    const dialog = page.getByRole('dialog', { name: 'Unpair A84041FFFF1234?' })
    await unpair.click()
    await dialog.getByText('an SOS from it alerts no contacts').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await unpair.click()
    await dialog.getByRole('button', { name: 'Unpair' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(api.state.changes, [
      ['watch', 'A84041FFFF1234', 360],
      ['watch', 'A84041FFFF1234', null],
      ['unpair', 'A84041FFFF1234'],
    ])
  })

  test('an operator asks a contact to confirm; to disable the user is for an administrator, who proves it', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}`, role: 'operator' })
    const contacts = page.getByRole('region', { name: 'Contacts' })
    await contacts.getByText('Doesn’t know this person').waitFor()
    const hidden = await contacts.locator('.scroll').evaluate((one: any) => one.scrollWidth - one.clientWidth)
    assert.ok(hidden <= 8, `${hidden} px of what a contact said are out of sight`)
    assert.equal(await contacts.getByRole('button', { name: 'Ask to confirm' }).count(), 2)
    const ask = contacts.getByRole('button', { name: 'Ask to confirm' }).first()
    await ask.click()
    await contacts.getByText('Ana Gruber will be asked by SMS').waitFor()
    await ask.click()
    await contacts.getByText('a number is asked once a day').waitFor()
    const disable = page.getByRole('button', { name: 'Disable' })
    assert.equal(await disable.count(), 0)
    api.state.role = 'admin'
    await page.reload()
    api.state.asksAgain = true
    await disable.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByLabel('Password or code').fill('123 456')
    await page.keyboard.press('Enter')
    await until('the user is disabled', async () => api.state.changes.length > 1)
    assert.deepEqual(api.state.changes, [
      ['ask', idOf(1)],
      ['disable', idOf(9000)],
    ])
  })

  test('an administrator writes a person down, corrects contacts, and imports a file after a look at it', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}`, expected: /status of 40[09]/ })
    const contacts = page.getByRole('region', { name: 'Contacts' })
    await contacts.getByRole('button', { name: 'Edit' }).click()
    const editor = page.getByRole('region', { name: 'Change contacts' })
    await editor.getByText('An alarm is open.').waitFor()
    await editor.getByRole('button', { name: 'Later: Ana Gruber' }).click()
    await editor.getByRole('button', { name: 'Edit: Ben Hofer' }).click()
    await editor.getByLabel('Phone').fill('0660')
    await editor.getByRole('button', { name: 'Save' }).click()
    await editor.getByText('Enter the number with its country code').waitFor()
    await editor.getByLabel('Phone').fill('+43 (0)660 555 00 99')
    await editor.getByRole('button', { name: 'Save' }).click()
    await editor.getByText('✓ Saved.').waitFor()
    await editor.getByRole('button', { name: 'Remove: Carl Egger' }).click()
    const asked = page.getByRole('dialog')
    await asked.getByText('says that the alarm is over').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await asked.getByRole('button', { name: 'Remove' }).click()
    await asked.waitFor({ state: 'detached' })

    await page.getByRole('region', { name: 'Ready for an alarm' }).getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('region', { name: 'Change details' })
    await form.getByLabel('Groups').fill('Night')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })

    await page.evaluate(`location.hash = '#/device/${APP_ID}/A84041FFFF9999'`)
    const pairing = page.getByRole('region', { name: 'Pair with a person' })
    await pairing.getByRole('button', { name: 'Search' }).click()
    await pairing.getByRole('button', { name: 'Pair: Jonas Weber' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await pairing.getByRole('button', { name: 'Pair: Jonas Weber' }).click()

    await page.evaluate("location.hash = '#/people'")
    await page.getByRole('button', { name: 'Add a person' }).click()
    await page.getByRole('region', { name: 'Add a person' }).getByLabel('Name').fill('Tom')
    await page.getByRole('region', { name: 'Add a person' }).getByRole('button', { name: 'Add a person' }).click()
    await page.getByText('Tom has been added.').waitFor()
    await page.getByRole('button', { name: 'Import a file' }).click()
    const file = { name: 'people.csv', mimeType: 'text/csv' }
    await page.getByLabel('CSV file').setInputFiles({ ...file, buffer: Buffer.alloc(600_000, 'a') })
    await page.getByText('The file is larger than 512 KB.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Check the file' }).isDisabled())
    const buffer = Buffer.from('externalUserId,name\nuser-0,J\u00fcrg', 'latin1')
    await page.getByLabel('CSV file').setInputFiles({ ...file, buffer })
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('Line 4, Contact 1, Phone:').waitFor()
    await page.getByText('One of these people has an open alarm').waitFor()
    await page.getByText('Line 2, Contact 1, Phone: the person’s own number.').waitFor()
    await page.getByText(/^Groups: Guides → Wardens, Night$/).waitFor()
    const first = page.getByRole('region', { name: 'Import people' }).getByRole('row').nth(1)
    assert.match((await first.textContent()) ?? '', /Mia Moser/, 'who changes stands before who is new')
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Import 2 people, leave out 1 line' }).click()
    // Somebody has changed one of them since: another preview, and another click.
    await page.getByText('Nothing was imported: these people have been changed since').waitFor()
    await page.getByRole('button', { name: 'Import 2 people, leave out 1 line' }).click()
    await page.getByText('Imported: 1 new, 1 changed').waitFor()
    const [user, ana, ben, carl] = [9000, 1, 2, 3].map(idOf)
    const csv = 'externalUserId,name\nuser-0,J\u00fcrg'
    assert.deepEqual(api.state.changes, [
      ['POST', `/users/${user}/contacts/order`, { contactIds: [ben, ana, carl] }],
      ['PATCH', `/users/${user}/contacts/${ben}`, { phone: '+436605550099' }],
      ['DELETE', `/users/${user}/contacts/${carl}`, null],
      ['PATCH', `/users/${user}`, { groups: ['Night'] }],
      ['POST', '/devices/pair', { applicationId: APP_ID, hardwareId: 'A84041FFFF9999', userId: idOf(9001) }],
      ['POST', `/applications/${APP_ID}/users`, { name: 'Tom' }],
      ['POST', `/people/import/preview?app=${APP_ID}`, csv],
      ['POST', `/people/import?app=${APP_ID}&partial=true&preview=m1`, csv],
      ['POST', `/people/import/preview?app=${APP_ID}`, csv],
      ['POST', `/people/import?app=${APP_ID}&partial=true&preview=m2`, csv],
    ])
  })

  test('a viewer sees how a tracker is, and can neither give it a token nor ask a contact', async (t) => {
    const { page } = await open(t, { role: 'viewer', at: `#/device/${APP_ID}/A84041FFFF1234` })
    await page.getByText('It has no token.').waitFor()
    assert.equal(await page.locator('main button').count(), 0)
    await page.evaluate(`location.hash = '#/person/${idOf(9000)}'`)
    await page.getByText('Doesn’t know this person').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Ask to confirm' }).count(), 0)
  })
})
