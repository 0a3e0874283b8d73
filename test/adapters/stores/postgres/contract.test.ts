import { test } from 'node:test'
import { storeContract } from '../../../contract/store-contract.ts'
import { emptiedPostgres, withoutPostgres } from '../../../fixtures/postgres-place.ts'

if (withoutPostgres === false) storeContract(emptiedPostgres())
else test('the store contract: PostgreSQL', { skip: withoutPostgres }, () => {})
