/** The task queue on which emails wait for a connection: apart, so that nothing else waits with them. */
export const sendingQueue = (taskQueue: string): string => `${taskQueue}-sending`
