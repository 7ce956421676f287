import type { EntityManager } from '../src/db/orm.ts'
import type { SendMessageDependencies } from '../src/services/send-message.ts'

export interface ActivityDependencies extends SendMessageDependencies {
  em: EntityManager
  /** Tells the id of this installation. */
  installation: () => Promise<string>
}
