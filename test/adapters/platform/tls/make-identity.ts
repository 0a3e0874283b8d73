import { createTlsIdentity } from '../../../../src/adapters/platform/tls/identity.ts'
import { HUT, noted } from './stand-in.ts'

// A separate process, for the test in which several start together.
const identity = await createTlsIdentity({ dataDir: process.argv[2]! }, { log: noted().log, machine: () => HUT })
process.stdout.write(identity.info().ca?.fingerprint ?? '')
await identity.close()
