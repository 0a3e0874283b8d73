import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targetOf } from '../../../../src/adapters/stores/postgres/engine/target.ts'

const hosts: readonly (readonly [url: string, hosts: readonly string[]])[] = [
  ['postgresql://u@db/d', ['db:5432']],
  ['postgres://u@db:6000/d', ['db:6000']],
  ['postgresql://u@a,b:6000,10.0.0.1/d', ['a:5432', 'b:6000', '10.0.0.1:5432']],
  ['postgresql://u@[::1]:6000,[fe80::1]/d', ['::1:6000', 'fe80::1:5432']],
  ['postgresql://u@/d', ['localhost:5432']],
  ['postgresql://u@%2Frun%2Fpostgresql/d', ['/run/postgresql:5432']],
  ['postgresql:///d?host=/run/postgresql&port=6000&user=u', ['/run/postgresql:6000']],
  ['postgresql:///d?host=a,b&port=6000,6001&user=u', ['a:6000', 'b:6001']],
  ['postgresql:///d?host=a,b&port=6000&user=u', ['a:6000', 'b:6000']],
]
for (const [url, expected] of hosts) {
  test(`the hosts of ${url}`, () => {
    assert.deepEqual(
      targetOf(url).hosts.map(({ host, port }) => `${host}:${port}`),
      expected,
    )
  })
}

test('user, password and database are decoded, and the query may name them', () => {
  const { user, password, database } = targetOf('postgresql://a%40b:p%3A%2Fw:x@db/d%2De')
  assert.deepEqual([user, password, database], ['a@b', 'p:/w:x', 'd-e'])
  const named = targetOf('postgresql://db/?user=u&password=p%26&dbname=d')
  assert.deepEqual([named.user, named.password, named.database], ['u', 'p&', 'd'])
  assert.equal(targetOf('postgresql://u@db/d').password, null)
})

const modes = [
  ['disable', [false]],
  ['allow', [false, 'encrypted']],
  ['prefer', ['encrypted', false]],
  ['require', ['encrypted']],
  ['verify-ca', ['verified-authority']],
  ['verify-full', ['verified']],
] as const
for (const [mode, expected] of modes) {
  test(`sslmode=${mode} tries ${expected.join(', then ')}`, () => {
    assert.deepEqual(targetOf(`postgresql://u@db/d?sslmode=${mode}`).protections, expected)
  })
}

test('without sslmode TLS is used where the server has it, as by other clients', () => {
  assert.deepEqual(targetOf('postgresql://u@db/d').protections, ['encrypted', false])
})

const refused: readonly (readonly [url: string, why: RegExp])[] = [
  ['http://u@db/d', /must be like postgresql:/],
  ['postgresql://db/d', /must name the database user/],
  ['postgresql://u:secret@db', /must name the database:/],
  ['postgresql://u:secret@db:0/d', /0 is not a port/],
  ['postgresql://u:secret@db:x/d', /db:x is not a host/],
  ['postgresql://u:secret@db/d?sslmode=on', /sslmode must be one of disable, allow/],
  ['postgresql://u:secret@db/d?sslmod=require', /has the parameter sslmod, which is not one of host, port/],
  ['postgresql://u:%secret@db/d', /% must be written as %25/],
  ['postgresql://u:secret@db/d?sslcert=a', /sslcert and sslkey go together/],
  ['postgresql://u:secret@db/d?sslmode=verify-full&sslrootcert=/nowhere', /sslrootcert could not be read: ENOENT/],
]
for (const [url, why] of refused) {
  test(`${url} is refused in a sentence without the password`, () => {
    assert.throws(
      () => targetOf(url),
      ({ message }: Error) => why.test(message) && !message.includes('secret'),
    )
  })
}
