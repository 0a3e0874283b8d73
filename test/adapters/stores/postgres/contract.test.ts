import { test } from 'node:test'
import { storeContract } from '../../../contract/store-contract.ts'
import { emptiedPostgres } from '../../../fixtures/postgres-place.ts'
import { skipWithout } from '../../../fixtures/requires.ts'
import { hasPostgres, POSTGRES } from '../../../harness/postgres.ts'

if (hasPostgres()) storeContract(emptiedPostgres())
else test('the store contract: PostgreSQL', (t) => void skipWithout(t, POSTGRES, false))
