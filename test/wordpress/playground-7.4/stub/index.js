// Stands for packages that are not needed here. One of them is imported by name.
exports.Octokit = class {};
