import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openInbox } from '../../../../src/adapters/inbound/sms/inbox.ts'
import type { IncomingSms } from '../../../../src/app/answers/answer-sms.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { newSpool } from '../../../harness/spool.ts'

// sms.md#sms-answers.

const ANA = '+436600000001'

async function inbox(t: TestContext, { settlingMs = 0 } = {}) {
  const spool = await newSpool(t)
  const handled: string[] = []
  const ages: number[] = []
  const troubles: (string | null)[] = []
  let malformed = 0
  let fault: Error | null = null
  const opened = openInbox({
    directory: join(spool.path, 'inbox'),
    settlingMs,
    async handle({ from, text, ageMs }: IncomingSms) {
      if (fault !== null) throw fault
      ages.push(ageMs)
      handled.push(`${from}: ${text}`)
    },
    onTrouble: (why) => void troubles.push(why),
    onMalformed: () => {
      malformed++
    },
    log: { info() {}, warn() {}, error() {} },
  })
  t.after(() => opened.close())
  return {
    ...opened,
    spool,
    handled,
    ages,
    trouble: () => troubles.at(-1),
    malformed: () => malformed,
    fails(error: Error | null) {
      fault = error
    },
    left: () => spool.names('inbox'),
    aside: () => readdir(join(spool.path, 'inbox', 'aside')).catch(() => []),
  }
}

test('each text is handed over once, oldest first, and its file is gone', async (t) => {
  const { spool, look, handled, left } = await inbox(t)
  await spool.receives(ANA, 'NO', { at: '20260301_120001' })
  await spool.receives(ANA, 'OK Ä € 😀', { at: '20260301_120000' })
  await look()
  await look()
  assert.deepEqual(handled, [`${ANA}: OK Ä € 😀`, `${ANA}: NO`])
  assert.deepEqual(await left(), [])
})

/** A moment as gammu-smsd writes it: in the time zone of the machine. */
const spelled = (ms: number): string => {
  const at = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString()
  return at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')
}

test('a text was sent when the network says, where that can be, else when it arrived', async (t) => {
  const { spool, look, ages } = await inbox(t)
  const hour = 3_600_000
  for (const [serial, at] of [
    ['00', Date.now() - hour],
    ['01', Date.now() + hour],
    ['02', Date.now() - 9 * 24 * hour],
  ] as const)
    await spool.receives(ANA, 'OK', { at: spelled(at), serial })
  await look()
  const [stale, underway, ahead] = ages as [number, number, number]
  assert.ok(underway > hour - 2_000 && underway < 2 * hour, `${underway} ms`)
  assert.ok(Math.max(stale, ahead) < hour / 2, `${stale} and ${ahead} ms`)
  assert.ok(ages.every(Number.isInteger), 'the store keeps whole ms')
})

test('the parts of a long text are one', async (t) => {
  const { spool, look, handled } = await inbox(t)
  await spool.receives(ANA, 'first ', { place: '00' })
  await spool.receives(ANA, 'second', { place: '01' })
  await spool.receives(ANA, 'another', { serial: '01' })
  await look()
  assert.deepEqual(handled, [`${ANA}: first second`, `${ANA}: another`])
})

test('a text in the charset of the system is read too, and a name for a number', async (t) => {
  const { spool, look, handled } = await inbox(t)
  await writeFile(join(spool.path, 'inbox', 'IN20260301_120000_00_Vodafone_00.txt'), 'Grüße')
  await look()
  assert.deepEqual(handled, ['Vodafone: Grüße'])
})

test('a file that is still being written is left alone', async (t) => {
  const { spool, look, handled, left } = await inbox(t, { settlingMs: 60_000 })
  await spool.receives(ANA, 'OK')
  await look()
  assert.deepEqual([handled, (await left()).length], [[], 1])
})

test('an empty file has been opened and not written yet, however long that takes', async (t) => {
  const { spool, look, handled, left } = await inbox(t)
  const file = join(spool.path, 'inbox', `IN20260301_120000_00_${ANA}_00.txt`)
  await writeFile(file, '')
  await look()
  assert.deepEqual([handled, (await left()).length], [[], 1])
  await writeFile(file, 'OK 1234')
  await look()
  assert.deepEqual([handled, await left()], [[`${ANA}: OK 1234`], []])
})

test('what is no text is set aside, and the newest hundred are kept', async (t) => {
  const { spool, look, handled, malformed, left, aside } = await inbox(t)
  const folder = join(spool.path, 'inbox')
  await writeFile(join(folder, 'IN20260301_120000_00_+43_00.bin'), 'x')
  await writeFile(join(folder, 'IN20260301.txt'), 'x')
  await writeFile(join(folder, 'README'), 'not of the daemon')
  await spool.receives(ANA, 'x'.repeat(4096))
  await spool.receives(ANA, 'OK', { serial: '01' })
  for (let n = 0; n < 105; n++) await writeFile(join(folder, `IN9${String(n).padStart(3, '0')}`), 'x')
  for (let round = 0; round < 4; round++) await look()
  assert.deepEqual(handled, [`${ANA}: OK`])
  assert.deepEqual(await left(), ['README', 'aside'])
  assert.equal((await aside()).length, 100)
  assert.ok(malformed() > 0)
})

test('a folder, a pipe or a link in the inbox holds up no answer, and nothing is read through it', async (t) => {
  const { spool, look, handled, aside, trouble } = await inbox(t)
  const name = (serial: string) => join(spool.path, 'inbox', `IN20260301_110000_${serial}_${ANA}_00.txt`)
  await mkdir(name('00'))
  execFileSync('mkfifo', [name('01')])
  await writeFile(join(spool.path, 'secret'), 'secret')
  await symlink(join(spool.path, 'secret'), name('02'))
  await symlink('/nowhere', name('03'))
  await spool.receives(ANA, 'OK')
  await look()
  assert.deepEqual(handled, [`${ANA}: OK`])
  assert.deepEqual([(await aside()).length, trouble()], [4, null])
})

test('a folder that was made a link leads nowhere, and nothing but files is removed', async (t) => {
  const { spool, look, handled, left, trouble } = await inbox(t)
  const [folder, elsewhere] = [join(spool.path, 'inbox'), join(spool.path, 'elsewhere')]
  await mkdir(elsewhere)
  for (let n = 0; n < 150; n++) await writeFile(join(elsewhere, `IN0${String(n).padStart(3, '0')}`), 'not of the inbox')
  await mkdir(join(elsewhere, 'IN-deep'))
  await writeFile(join(elsewhere, 'IN-deep', 'file'), 'x')

  await symlink(elsewhere, join(folder, 'aside'))
  await writeFile(join(folder, 'IN9'), 'no text')
  await spool.receives(ANA, 'OK')
  await look()
  assert.deepEqual(handled, [`${ANA}: OK`], 'no answer waits for it')
  assert.deepEqual(await left(), ['IN9', 'aside'])
  assert.match(String(trouble()), /cannot be used/)
  assert.equal((await readdir(elsewhere)).length, 151)

  // The control: as a folder it is emptied, except of what is no file.
  await rm(join(folder, 'aside'))
  await rename(elsewhere, join(folder, 'aside'))
  await writeFile(join(folder, 'aside', 'README'), 'of the operator')
  await look()
  const kept = await readdir(join(folder, 'aside'))
  assert.deepEqual([kept.length, kept.includes('IN-deep'), kept.includes('README')], [102, true, true])

  await rename(folder, elsewhere)
  await symlink(elsewhere, folder)
  await spool.receives(ANA, 'NO')
  await look()
  assert.deepEqual([handled.length, (await readdir(elsewhere)).length], [1, 2])
})

test('a spool that cannot be used costs no answer, however long', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { spool, look, handled, fails, left, trouble } = await inbox(t)
  await spool.receives(ANA, 'OK')
  fails(Object.assign(new Error('no'), { code: 'EACCES', syscall: 'scandir' }))
  for (let round = 0; round < 50; round++) {
    await look()
    t.mock.timers.tick(5000)
  }
  assert.deepEqual([(await left()).length, trouble()], [1, 'the folder inbox cannot be used (EACCES)'])
  fails(null)
  await look()
  assert.deepEqual([handled, trouble()], [[`${ANA}: OK`], null])
})

test('what the store cannot take now stays, however often it fails', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { spool, look, handled, fails, left } = await inbox(t)
  await spool.receives(ANA, 'OK')
  fails(new StoreError('no', 'unreachable'))
  for (let round = 0; round < 50; round++) {
    await look()
    t.mock.timers.tick(5000)
  }
  assert.equal((await left()).length, 1)
  fails(null)
  await look()
  assert.deepEqual(handled, [`${ANA}: OK`])
})

test('what can never be handled is set aside after twenty tries, and holds up nothing', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { spool, look, handled, fails, aside } = await inbox(t)
  await spool.receives(ANA, 'OK')
  fails(new TypeError('a bug'))
  for (let round = 0; round < 20; round++) {
    assert.deepEqual(await aside(), [])
    await look()
    t.mock.timers.tick(5000)
  }
  assert.equal((await aside()).length, 1)
  fails(null)
  await spool.receives(ANA, 'NO')
  await look()
  assert.deepEqual(handled, [`${ANA}: NO`])
})

test('a folder that is missing is a trouble that ends when it is there', async (t) => {
  const { spool, look, trouble, handled } = await inbox(t)
  await rm(join(spool.path, 'inbox'), { recursive: true })
  await look()
  assert.equal(trouble(), 'the folder inbox is missing')
  await mkdir(join(spool.path, 'inbox'))
  await spool.receives(ANA, 'OK')
  await look()
  assert.deepEqual([trouble(), handled.length], [null, 1])
})
