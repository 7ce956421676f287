/** The task queue of emails that wait for a connection. It is separate, so that nothing else waits with them. */
export const sendingQueue = (taskQueue: string): string => `${taskQueue}-sending`
