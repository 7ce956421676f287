import type { EntityManager } from '../src/platform/db/orm.ts'
import type { AdvanceDependencies } from '../src/campaigns/index.ts'
import type { SendDependencies } from '../src/messages/index.ts'

export interface ActivityDependencies extends SendDependencies, AdvanceDependencies {
  em: EntityManager
  /** Returns the ID of this instance. */
  instance: () => Promise<string>
}
