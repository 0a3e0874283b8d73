import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { apart } from '../../prove/nodes/apart.ts'
import { failover } from '../../prove/nodes/failover.ts'
import { freeze } from '../../prove/nodes/freeze.ts'
import { nodeKill } from '../../prove/nodes/kill.ts'
import { standby } from '../../prove/nodes/standby.ts'
import { runPart } from '../../prove/part.ts'
import { asText } from '../../prove/report.ts'
import { quick } from '../../prove/size.ts'
import { withoutPostgres } from '../fixtures/postgres-place.ts'
import { effort } from '../harness/effort.ts'

/** As few services as show what it is about. Most of it waits for leases. */
const smallest = { ...quick, nodes: 1, callers: 12, nodeKills: 1, timeoutMs: 300_000 }

const skip = effort(0, 1, 1) === 0 ? 'takes a minute: only in npm run test:soak' : withoutPostgres

suite('the smallest cut of npm run prove:nodes', { concurrency: 2, skip, timeout: 600_000 }, () => {
  for (const part of [nodeKill, freeze, failover, standby, apart]) {
    test(`${part.name}: nothing is lost, nothing doubled`, async (t) => {
      const rows = await runPart(part, smallest)
      t.diagnostic(asText(rows))
      assert.ok(rows.length > 0)
      // What was slow says something about this machine.
      for (const { what, skipped, remark, faults } of rows) {
        assert.equal(skipped, null, what)
        assert.deepEqual(faults, [], `${what}: ${remark}`)
      }
    })
  }
})
