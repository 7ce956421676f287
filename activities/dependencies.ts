import type { EntityManager } from '../src/platform/db/orm.ts'
import type { AdvanceDependencies } from '../src/campaigns/index.ts'
import type { SendDependencies } from '../src/messages/index.ts'
import type { Dependencies } from '../src/outbox/index.ts'
import type { RunDependencies } from '../src/steps/index.ts'

export interface ActivityDependencies extends Dependencies, SendDependencies, AdvanceDependencies, RunDependencies {
  em: EntityManager
  /** Returns the ID of this instance. */
  instance: () => Promise<string>
}
