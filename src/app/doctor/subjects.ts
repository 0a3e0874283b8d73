import { MINUTE } from '../../lib/durations.ts'
import { judgeClock, judgeDisk, judgeMemory, judgePorts } from './judge-machine.ts'
import { judgeMap, judgeNodes, judgeProviders, judgeStore } from './judge-parts.ts'
import { judgeAddress, judgeCertificate, judgeConfiguration, judgeService, judgeVersion } from './judge-service.ts'
import { judgeAdministrators, judgeBackup, judgeCanary, judgeDrill, judgeRestore } from './judge-upkeep.ts'

/**
 * Everything that `tocsin doctor` examines, in the order in which it is shown. A further probe is a line here, a
 * function from its facts to findings, and a source of these facts for the service and the command line. `withinMs`:
 * for one that may take longer than the others.
 */
export const subjects = {
  version: { title: 'Version', judge: judgeVersion },
  service: { title: 'Service', judge: judgeService },
  configuration: { title: 'Configuration', judge: judgeConfiguration },
  ports: { title: 'Ports', judge: judgePorts },
  address: { title: 'Public address', judge: judgeAddress },
  certificate: { title: 'Certificate', judge: judgeCertificate },
  clock: { title: 'Clock', judge: judgeClock },
  disk: { title: 'Disk', judge: judgeDisk },
  memory: { title: 'Memory', judge: judgeMemory },
  store: { title: 'Store', judge: judgeStore },
  providers: { title: 'Providers', judge: judgeProviders },
  backup: { title: 'Backup', judge: judgeBackup },
  restore: { title: 'Restore test', judge: judgeRestore, withinMs: 30 * MINUTE },
  nodes: { title: 'Nodes', judge: judgeNodes },
  map: { title: 'Map', judge: judgeMap },
  canary: { title: 'Canary', judge: judgeCanary },
  drill: { title: 'Exercise', judge: judgeDrill },
  administrators: { title: 'Administrators', judge: judgeAdministrators },
} as const

export type ProbeId = keyof typeof subjects

export type FactsOf<P extends ProbeId> = Parameters<(typeof subjects)[P]['judge']>[0]

/** The sources of the facts. Null: the probe does not apply here and gets no line. Rejects with `NotExamined`. */
export type FactSources = { readonly [P in ProbeId]: (() => FactsOf<P> | Promise<FactsOf<P>>) | null }
