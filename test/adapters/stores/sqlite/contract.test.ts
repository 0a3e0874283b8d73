import { storeContract } from '../../../contract/store-contract.ts'
import { sqliteStore } from '../../../fixtures/store-place.ts'

storeContract(sqliteStore)
