"""The Role as it is told to people."""

from pathlib import Path

from console.control.kube_access import RULES, role_rules

OPERATIONS = Path(__file__).parents[4] / "OPERATIONS.md"


def test_the_manual_lists_exactly_the_roles_rules():
    lines = OPERATIONS.read_text().splitlines()
    begin = lines.index("| API group | resource | verbs | to |") + 2
    told = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[begin : begin + len(RULES)]]
    assert told == [
        [f"`{rule.group or chr(34) * 2}`", rule.resource, ", ".join(rule.verbs), rule.why] for rule in RULES
    ]
    assert not lines[begin + len(RULES)].startswith("|")


def test_no_rule_reaches_secrets_or_everything():
    for rule in role_rules():
        assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]
        assert not {"secrets", "pods/exec", "serviceaccounts"} & set(rule["resources"])
