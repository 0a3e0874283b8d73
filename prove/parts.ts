import { docsYaml } from './attacks/docs-yaml.ts'
import { deadLetters, distinctAlerts } from './attacks/full-disk-by-user.ts'
import { hangingDisk } from './attacks/hanging-disk.ts'
import { heldSnapshot } from './attacks/held-snapshot.ts'
import { historyReaders } from './attacks/history-readers.ts'
import { idleConnections } from './attacks/idle-connections.ts'
import { newConnections } from './attacks/new-connections.ts'
import { nulPacket } from './attacks/nul-packet.ts'
import { oneByteChunks } from './attacks/one-byte-chunks.ts'
import { staticFiles } from './attacks/static-files.ts'
import { stuckButton } from './attacks/stuck-button.ts'
import { telemetryBacklog } from './attacks/telemetry-backlog.ts'
import { websockets } from './attacks/websockets.ts'
import { apart } from './nodes/apart.ts'
import { cost } from './nodes/cost.ts'
import { failover } from './nodes/failover.ts'
import { freeze } from './nodes/freeze.ts'
import { nodeKill } from './nodes/kill.ts'
import { standby } from './nodes/standby.ts'
import { waitingEndsOnNodes } from './nodes/waiting-ends.ts'
import type { Part } from './part.ts'
import { clock } from './parts/clock.ts'
import { frozenDisk, fullDisk, slowFsync } from './parts/disk.ts'
import { gatewayResets } from './parts/gateway-resets.ts'
import { kill } from './parts/kill.ts'
import { fsyncErrors, powerCut } from './parts/power-cut.ts'
import { quiet } from './parts/quiet.ts'
import { sdkStories } from './parts/sdk-stories.ts'
import { waitingEnds } from './parts/waiting-ends.ts'

/** Several services on one PostgreSQL database: `npm run prove:nodes`. In the order of the runs and of the table. */
export const nodeParts: readonly Part[] = [nodeKill, freeze, failover, standby, apart, waitingEndsOnNodes, cost]

/** In the order of the runs and of the table. */
export const parts: readonly Part[] = [
  quiet,
  kill,
  powerCut,
  fsyncErrors,
  slowFsync,
  fullDisk,
  frozenDisk,
  clock,
  stuckButton,
  docsYaml,
  staticFiles,
  nulPacket,
  historyReaders,
  idleConnections,
  websockets,
  oneByteChunks,
  newConnections,
  gatewayResets,
  waitingEnds,
  sdkStories,
  deadLetters,
  distinctAlerts,
  hangingDisk,
  telemetryBacklog,
  heldSnapshot,
]
