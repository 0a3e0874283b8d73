import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { configWarnings } from '../../src/config/warnings.ts'
import { configOf, problemText } from '../../src/config.ts'

const RECIPIENT = 'age1jgwfld6qu7v4m6hwemcg8jmyea92wq5sn4cuks3lnt84fc8qp3fsrru3re'

const problems = (backup: unknown, env: Record<string, string> = {}): readonly string[] => {
  const read = configOf({ backup }, env, '/srv')
  return 'problems' in read ? read.problems.map(problemText) : []
}

test('backups need a recipient, whose checksum has to fit', async () => {
  assert.deepEqual(problems({ recipient: RECIPIENT }), [])
  assert.deepEqual(problems({ recipient: await identityToRecipient(await generateX25519Identity()) }), [])
  assert.match(problems({ to: '/mnt' }).join(), /backup\.recipient.* is required with backup: the public key \(age1…\)/)
  assert.match(problems(undefined, { TOCSIN_BACKUP_KEEP: '3' }).join(), /is required with backup/)
  const wrong = [
    RECIPIENT.replace('jg', 'gj'),
    RECIPIENT.slice(0, -1),
    `${RECIPIENT}q`,
    RECIPIENT.toUpperCase(),
    'age1',
    'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ',
  ]
  for (const recipient of wrong) {
    const [problem = '', ...others] = problems({ recipient })
    assert.match(problem, /backup\.recipient.* must be a public key of age: age1 and 58 more characters/)
    assert.deepEqual(others, [])
    // A secret key that somebody put there must not get into a log.
    assert.ok(!problem.includes(recipient.slice(5)) || recipient === 'age1')
  }
})

test('a time of day, a number and a program are what they say', () => {
  const given = (more: object) => problems({ recipient: RECIPIENT, ...more })
  for (const at of ['00:00', '03:10', '23:59']) assert.deepEqual(given({ at }), [])
  for (const at of ['3:10', '24:00', '03:60', '0310', 190]) assert.match(given({ at }).join(), /backup\.at/)
  for (const keep of [0, 1.5, 'all']) assert.match(given({ keep }).join(), /backup\.keep/)
  for (const after of [['/bin/x', 'a b'], '/bin/x']) assert.deepEqual(given({ after }), [])
  for (const after of [['rclone', 'copy'], [], [''], 'rclone copy'])
    assert.match(given({ after }).join(), /backup\.after/)
  const read = configOf({}, { TOCSIN_BACKUP_RECIPIENT: RECIPIENT, TOCSIN_BACKUP_AFTER: '/bin/x,a b' }, '/srv')
  assert.ok('config' in read)
  assert.deepEqual(read.config.backup.after, ['/bin/x', 'a b'])
})

test('with PostgreSQL a warning says that no backup is made', () => {
  const store = { url: 'postgresql://db/tocsin' }
  const read = configOf({ backup: { recipient: RECIPIENT }, store, publicUrl: 'https://sos.example.org' }, {}, '/srv')
  assert.ok('config' in read)
  assert.match(configWarnings(read.config).join(), /no backup is made: .*store\.url/)
})
