import { storeContract } from '../../../contract/store-contract.ts'
import { emptiedStore } from '../../../fixtures/store-place.ts'

storeContract(emptiedStore())
