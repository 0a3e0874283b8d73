import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'

// people.md.
test('people and their contacts are written down, corrected, moved and removed', async (t) => {
  const { tocsin, answer, dataDir } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut', '--language', 'de', '--verify-contacts', 'off')
  const mia = await answer('user', 'add', appId, '--name', 'Mia', '--group', 'Wardens', '--group', 'Night')
  assert.deepEqual([mia.name, mia.groups, mia.phone], ['Mia', ['Wardens', 'Night'], null])
  const { externalUserId: id } = mia
  assert.match((await tocsin('user', 'add', appId, id)).stderr, /change it with: tocsin user update/)
  const own = ['user', 'update', appId, id] as const
  const updated = await answer(...own, '--phone', '+436601234567', '--clear', 'groups', '--relay', 'on')
  assert.deepEqual([updated.phone, updated.groups, updated.relay], ['+436601234567', [], true])
  assert.match((await tocsin(...own)).stderr, /nothing to change/)
  assert.equal((await tocsin(...own, '--clear', 'relay')).code, 2)

  for (const [name, phone] of [
    ['Ana', '+436601111111'],
    ['Ben', '+436602222222'],
  ] as const) {
    await answer('contact', 'add', appId, id, '--name', name, '--phone', phone)
  }
  const { contact } = await answer('contact', 'edit', appId, id, 'Ana', '--name', 'Anna', '--email', 'ana@example.org')
  assert.deepEqual([contact.name, contact.email], ['Anna', 'ana@example.org'])
  assert.equal((await answer('contact', 'edit', appId, id, '1', '--email', 'none')).contact.email, null)
  const names = ({ contacts }: any) => contacts.map(({ name }: any) => name)
  assert.deepEqual(names(await answer('contact', 'move', appId, id, 'Ben', '1')), ['Ben', 'Anna'])
  assert.match((await tocsin('contact', 'move', appId, id, 'Ben', '0')).stderr, /1 is the first/)
  await answer('contact', 'remove', appId, id, '+436602222222')
  assert.deepEqual(names(await answer('user', 'show', appId, id)), ['Anna'])

  const file = join(dataDir, 'people.csv')
  await writeFile(file, `externalUserId,name,contact1Name,contact1Phone\n${id},Mimi,Anna,+436601111111\ntom,Tom,,\n`)
  const what = ({ imported }: any) => imported.map((row: any) => [row.line, row.what, row.contactsAdded])
  const both = [
    [2, 'changed', 0],
    [3, 'new', 0],
  ]
  const preview = await answer('user', 'import', appId, file, '--preview')
  assert.deepEqual(what(preview), both)
  assert.deepEqual(preview.imported[0].changes, [{ column: 'name', old: 'Mia', new: 'Mimi' }])
  assert.match((await tocsin('user', 'import', appId, file, '--preview')).stdout, /NEW\n.*name +Mia +Mimi/)
  assert.equal((await answer('user', 'show', appId, id)).name, 'Mia')
  assert.deepEqual(what(await answer('user', 'import', appId, file)), both)
  await writeFile(file, 'externalUserId,phone\ntom,+4306601234567\n')
  const doubted = await tocsin('user', 'import', appId, file, '--preview')
  assert.match(doubted.stderr, /^warning: line 2: phone has .* or a zero that is dialled only within the country\n$/)
  await writeFile(file, 'externalUserId,phone\ntom,0660\n')
  await answer('device', 'register', appId, '--hardware-id', 'T-1', '--pairing-code', 'swordfish-1')
  assert.equal((await answer('device', 'pair', appId, 'T-1', 'tom')).externalUserId, 'tom')
  assert.match((await tocsin('device', 'pair', appId, 'T-1', id)).stderr, /another user has paired/)
  const refused = await tocsin('user', 'import', appId, file)
  assert.deepEqual([refused.code, /line 2: phone must be an E\.164/.test(refused.stderr)], [1, true])
})
