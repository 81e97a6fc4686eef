/** Browsers say so when drawing made an observed element change its size: it is told in the next frame, nothing is lost. */
const isFault = (message: string): boolean => !message.startsWith('ResizeObserver loop');

/** Tells of what goes wrong in a page: nobody sees its console. */
export function reportProblems(report: (message: string) => void): void {
  window.addEventListener('error', ({ message, filename, lineno }) => {
    if (isFault(message)) report(`${message} (${filename}:${lineno})`);
  });
  window.addEventListener('unhandledrejection', ({ reason }) => report(String(reason)));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
    report(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`),
  );
}
