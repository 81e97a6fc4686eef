/** The part of the Python extension's API that is used: https://github.com/microsoft/vscode-python, `src/client/api/types.ts`. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: unknown): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } | undefined } } | undefined>;
  };
}

/** An extension, as `vscode.extensions.getExtension` gives it. */
interface ExtensionLike {
  activate(): PromiseLike<unknown>;
}

/**
 * The interpreter that is selected in the Python extension for a folder.
 *
 * @param extension undefined where it is not installed.
 * @returns undefined where none is selected, or the extension does not answer as it did.
 */
export async function selectedInterpreter(
  extension: ExtensionLike | undefined,
  folder: unknown,
): Promise<string | undefined> {
  try {
    const api = (await extension?.activate()) as PythonApi | undefined;
    if (!api) return undefined;
    const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(folder));
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}
