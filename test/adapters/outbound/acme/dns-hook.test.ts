import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dnsHook } from '../../../../src/adapters/outbound/acme/dns-hook.ts'

const { signal } = new AbortController()

/** A hook that is this shell script. */
async function hookOf(t: TestContext, script: string): Promise<{ readonly command: string; readonly out: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-hook-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const command = join(directory, 'hook')
  const out = join(directory, 'out')
  await writeFile(command, `#!/bin/sh\nout=${out}\n${script}\n`, { mode: 0o700 })
  return { command, out }
}

test('the hook gets verb, domain and value, as they are, and none of the service’s variables', async (t) => {
  const { command, out } = await hookOf(t, 'printf "%s|" "$#" "$@" >> $out; env >> $out')
  process.env.TOCSIN_TEST_SECRET = 'secret'
  t.after(() => delete process.env.TOCSIN_TEST_SECRET)
  const hook = dnsHook(command)
  await hook.present('sos.example.org', '$(id) -x; rm "*"', signal)
  await hook.cleanup('sos.example.org', 'value', signal)
  const written = await readFile(out, 'utf8')
  assert.match(written, /^3\|present\|sos\.example\.org\|\$\(id\) -x; rm "\*"\|/)
  assert.match(written, /3\|cleanup\|sos\.example\.org\|value\|/)
  assert.match(written, /^PATH=/m)
  assert.doesNotMatch(written, /TOCSIN_/)
})

test('a value that looks like an option is in a variable, too', async (t) => {
  const { command, out } = await hookOf(t, 'printf "%s|" "$3" "$ACME_DOMAIN" "$ACME_VALUE" >> $out')
  const hook = dnsHook(command)
  await hook.present('sos.example.org', '-K/etc/shadow', signal)
  await hook.cleanup('sos.example.org', '--file=x', signal)
  assert.equal(
    await readFile(out, 'utf8'),
    '-K/etc/shadow|sos.example.org|-K/etc/shadow|--file=x|sos.example.org|--file=x|',
  )
})

for (const [title, script, sentence] of [
  ['fails', 'echo first >&2; echo "no such zone" >&2; exit 3', /present x ended with exit code 3: no such zone$/],
  ['fails without a word', 'exit 1', /present x ended with exit code 1$/],
  ['hangs', 'echo waiting >&2; exec sleep 60', /present x did not end within 1 s: waiting$/],
  ['talks without end', 'while true; do echo yyyyyyyyyyyyyyyyyyyyyyyyy >&2; done', /did not end within 1 s: y+$/],
] as const) {
  test(`a hook that ${title} is told in a sentence`, async (t) => {
    const { command } = await hookOf(t, script)
    await assert.rejects(dnsHook(command, 1_000).present('x', 'value', signal), (error: Error) => {
      assert.match(error.message, sentence)
      assert.ok(error.message.startsWith(`acme.dnsHook ${command} present x `))
      return true
    })
  })
}

test('a hook that leaves a process behind is not waited for', async (t) => {
  const { command, out } = await hookOf(t, '(exec sleep 60) & echo $! >$out; exit 0')
  await dnsHook(command).present('x', 'value', signal)
  // It would fail if the process were no longer there.
  process.kill(Number(await readFile(out, 'utf8')))
})

test('a hook that is not there is told, and a stop ends one', async (t) => {
  await assert.rejects(dnsHook('/nowhere/hook').present('x', 'v', signal), /could not be run \(ENOENT\)/)
  const { command } = await hookOf(t, 'exec sleep 60')
  const stop = new AbortController()
  const running = dnsHook(command).present('x', 'v', stop.signal)
  setImmediate(() => stop.abort())
  await assert.rejects(running, /ended with SIGKILL/)
})
