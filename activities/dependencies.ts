import type { EntityManager } from '../src/platform/db/orm.ts'
import type { AdvanceDependencies } from '../src/campaigns/index.ts'
import type { SendMessageDependencies } from '../src/messages/index.ts'

export interface ActivityDependencies extends SendMessageDependencies, AdvanceDependencies {
  em: EntityManager
  /** Tells the id of this installation. */
  installation: () => Promise<string>
}
